// SPDX-License-Identifier: GPL-2.0
/* Accounts: what became of this root's messages at each member, in numbers that balance. */
#include <linux/bug.h>
#include <linux/slab.h>
#include <linux/xarray.h>

#include "account.h"
#include "group.h"
#include "node.h"

struct hbc_account *hbc_account_get(struct hbc_group *group, u32 node)
{
	struct hbc_account *account = xa_load(&group->accounts, node);

	lockdep_assert_held(&group->hn->lock);
	if (account)
		return account;
	account = kzalloc(sizeof(*account), GFP_KERNEL_ACCOUNT);
	if (!account)
		return NULL;
	account->node = node;
	if (!xa_err(xa_store(&group->accounts, node, account, GFP_KERNEL_ACCOUNT)))
		return account;
	kfree(account);
	return NULL;
}

struct hbc_account *hbc_account_next(struct hbc_group *group, unsigned long *node)
{
	lockdep_assert_held(&group->hn->lock);
	return xa_find(&group->accounts, node, U32_MAX, XA_PRESENT);
}

void hbc_account_close(struct hbc_group *group)
{
	struct hbc_account *account;
	unsigned long node;
	unsigned int i;
	s64 open;

	xa_for_each(&group->accounts, node, account) {
		open = atomic64_read(&account->accepted) - atomic64_read(&account->delivered);
		for (i = 0; i < __HBCAST_REASON_MAX; i++)
			open -= atomic64_read(&account->failed[i]);
		WARN_ONCE(open, "hbcast: %lld messages to node %u of group %u had no end\n", open,
			  account->node, group->id);
		kfree(account);
	}
	xa_destroy(&group->accounts);
}
