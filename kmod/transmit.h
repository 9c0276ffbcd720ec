/* SPDX-License-Identifier: GPL-2.0 */
/* Transmitting: a lane's queue, and from there to its socket. */
#ifndef _HBC_TRANSMIT_H
#define _HBC_TRANSMIT_H

#include <linux/list.h>
#include <linux/types.h>

struct bio_vec;
struct hbc_ack;
struct hbc_burst;
struct hbc_lane;
struct hbc_store;

/* Whether the queue is below its bound (the group's). Context: any. */
bool hbc_transmit_room(const struct hbc_lane *lane);
/* Whether it is below twice that, which is enough for what may get lost. Context: any. */
bool hbc_transmit_bears(const struct hbc_lane *lane);

/*
 * Append to the queue, without sending: a burst (a reference is taken), one
 * frame (copied), a report for the parent. Without memory the lane fails.
 * Context: process.
 */
void hbc_transmit_burst(struct hbc_lane *lane, struct hbc_burst *b);
/* The same with a burst of @store, for the edge @place of its tree. */
void hbc_transmit_store(struct hbc_lane *lane, struct hbc_burst *b, struct hbc_store *store,
			u32 place);
void hbc_transmit_frame(struct hbc_lane *lane, const void *frame, unsigned int len);
void hbc_transmit_ack(struct hbc_lane *lane, const struct hbc_ack *ack);

/*
 * Frames that belong together: collected on a list (0 or -ENOMEM), then
 * appended to the queue, or put in front of it while the lane is not READY.
 */
int hbc_transmit_prepare(struct list_head *entries, const void *frame, unsigned int len);
void hbc_transmit_back(struct hbc_lane *lane, struct list_head *entries);
void hbc_transmit_front(struct hbc_lane *lane, struct list_head *entries);
void hbc_transmit_discard(struct list_head *entries);

/*
 * Send what is queued as far as the socket of a READY lane takes it; of much only some,
 * and the lane's work goes on. Context: process.
 */
void hbc_transmit_send(struct hbc_lane *lane);
/**
 * hbc_transmit_ahead() - send a short frame at once, if the way is clear
 * @lane: lane to a child
 * @bv: pages that hold the frame; TCP takes its own references
 * @nr: entries of @bv
 * @len: bytes of them
 *
 * Nothing is sent while anything is queued, or somebody uses the socket. What
 * is sent is counted by hbc_transmit_count().
 *
 * Context: softirq; the spinlock of the parent lane's socket may be held.
 * Return: whether it has been sent.
 */
bool hbc_transmit_ahead(struct hbc_lane *lane, struct bio_vec *bv, unsigned int nr, u32 len);
/* @len bytes of one burst were sent ahead. Context: process. */
void hbc_transmit_count(struct hbc_lane *lane, u32 len);
/*
 * Unlock tx_mutex, for those who do not send: whoever found it taken meanwhile has
 * left his part to them, so somebody sends. Context: process.
 */
void hbc_transmit_unlock(struct hbc_lane *lane);
/* Send one frame of the handshake at once, past the queue. Context: process. */
int hbc_transmit_now(struct hbc_lane *lane, const void *frame, unsigned int len);
/* Drop all that is queued, because its connection is gone. Context: process. */
void hbc_transmit_purge(struct hbc_lane *lane);
/* Whether nothing is left to send. Context: any. */
bool hbc_transmit_idle(const struct hbc_lane *lane);

#endif /* _HBC_TRANSMIT_H */
