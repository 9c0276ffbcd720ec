/* SPDX-License-Identifier: GPL-2.0 */
/* Accounts: what became of this root's messages at each member, in numbers that balance. */
#ifndef _HBC_ACCOUNT_H
#define _HBC_ACCOUNT_H

#include <linux/atomic.h>
#include <linux/hbcast.h>
#include <linux/types.h>

struct hbc_group;

/**
 * struct hbc_account - one member's account at one root
 * @node: its id
 * @accepted: messages that it was to have
 * @delivered: those that it has
 * @failed: those that it will not have, by enum hbcast_reason
 *
 * What is in none of the two is on its way. It lives as long as the group.
 */
struct hbc_account {
	u32 node;
	atomic64_t accepted;
	atomic64_t delivered;
	atomic64_t failed[__HBCAST_REASON_MAX];
};

/* The member's account, made if it is not there; NULL without memory. hn->lock held. */
struct hbc_account *hbc_account_get(struct hbc_group *group, u32 node);
/* The account of the first node from *@node on, which is set, or NULL. hn->lock held. */
struct hbc_account *hbc_account_next(struct hbc_group *group, unsigned long *node);
/* The group's end: says so if one does not balance. Context: process. */
void hbc_account_close(struct hbc_group *group);

/* Below: context any. */

/* The member is to have a message. */
static inline void hbc_account_accept(struct hbc_account *account)
{
	atomic64_inc(&account->accepted);
}

/* The message has never been. */
static inline void hbc_account_retract(struct hbc_account *account)
{
	atomic64_dec(&account->accepted);
}

/* It has the message, or, for a @reason (enum hbcast_reason), will not have it. */
static inline void hbc_account_settle(struct hbc_account *account, u8 reason)
{
	atomic64_inc(reason ? &account->failed[reason] : &account->delivered);
}

#endif /* _HBC_ACCOUNT_H */
