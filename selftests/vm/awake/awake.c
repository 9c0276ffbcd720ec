// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In virtual time an idle processor skips to its next timer at once. While the
 * host serves a file that would be seconds for each request, so idling is made
 * busy from a request's start to its end. For machines with one processor.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

static void (*poll_ctrl)(bool enable);

/* Requests that the host has not answered; one processor, and no interrupts. */
static int requests;

static int request_start(struct kprobe *probe, struct pt_regs *regs)
{
	if (requests++ == 0)
		poll_ctrl(true);
	return 0;
}

static int request_end(struct kprobe *probe, struct pt_regs *regs)
{
	if (requests > 0 && --requests == 0)
		poll_ctrl(false);
	return 0;
}

/* virtiofs' way to send a request: the name up to 6.10, and the one since. */
static struct kprobe start_old = {
	.symbol_name = "virtio_fs_wake_pending_and_unlock",
	.pre_handler = request_start,
};

static struct kprobe start_new = {
	.symbol_name = "virtio_fs_send_req",
	.pre_handler = request_start,
};

static struct kprobe end = {
	.symbol_name = "fuse_request_end",
	.pre_handler = request_end,
};

/* The function is not exported, but a probe knows where it is. */
static int find_poll_ctrl(void)
{
	struct kprobe probe = { .symbol_name = "cpu_idle_poll_ctrl" };
	int err;

	err = register_kprobe(&probe);
	if (err)
		return err;
	poll_ctrl = (void *)probe.addr;
	unregister_kprobe(&probe);
	return 0;
}

static int __init awake_init(void)
{
	int err;

	err = find_poll_ctrl();
	if (err)
		return err;
	err = register_kprobe(&end);
	if (err)
		return err;
	err = register_kprobe(&start_new);
	if (err)
		err = register_kprobe(&start_old);
	if (err)
		unregister_kprobe(&end);
	return err;
}

/* Without an exit it stays for the life of the machine. */
module_init(awake_init);

MODULE_DESCRIPTION("Keeps virtual time from running away while the host serves files");
MODULE_LICENSE("GPL");
