// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a kernel that watches itself must see: each of these is a mistake, made
 * when its name is written to the parameter "make".
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nsproxy.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/vmalloc.h>
#include <net/net_namespace.h>

static DEFINE_SPINLOCK(atomic_lock);
static DEFINE_MUTEX(first_lock);
static DEFINE_MUTEX(second_lock);

/* The compiler does not know what is in them. */
static int sink;
static int many = 40;

static void make_freed(void)
{
	int *p = kmalloc(sizeof(*p), GFP_KERNEL);

	kfree(p);
	WRITE_ONCE(sink, READ_ONCE(*p));
}

static void make_beyond(void)
{
	char *p = vmalloc(100);

	WRITE_ONCE(sink, READ_ONCE(p[READ_ONCE(many) * 3]));
	vfree(p);
}

static void make_shift(void)
{
	WRITE_ONCE(sink, 1 << READ_ONCE(many));
}

static void make_order(void)
{
	mutex_lock(&first_lock);
	mutex_lock(&second_lock);
	mutex_unlock(&second_lock);
	mutex_unlock(&first_lock);
	mutex_lock(&second_lock);
	mutex_lock(&first_lock);
	mutex_unlock(&first_lock);
	mutex_unlock(&second_lock);
}

static void make_sleep(void)
{
	spin_lock(&atomic_lock);
	msleep(20);
	spin_unlock(&atomic_lock);
}

static void nothing(struct timer_list *timer)
{
}

static void make_timer(void)
{
	struct timer_list *timer = kmalloc(sizeof(*timer), GFP_KERNEL);

	timer_setup(timer, nothing, 0);
	mod_timer(timer, jiffies + 1000 * HZ);
	kfree(timer);
}

static void make_list(void)
{
	struct list_head one, other;

	INIT_LIST_HEAD(&one);
	list_add(&other, &one);
	one.next = &one;
	list_del(&other);
}

static void make_netns(void)
{
	struct net *net = current->nsproxy->net_ns;

	/* What is put is not what was got. */
	get_net_track(net, kzalloc(sizeof(netns_tracker), GFP_KERNEL), GFP_KERNEL);
	put_net(net);
}

static void make_leak(void)
{
	WRITE_ONCE(sink, !kmalloc(100, GFP_KERNEL));
}

static void make_page(void)
{
	WRITE_ONCE(sink, !alloc_page(GFP_KERNEL));
}

/* It is given back, but not its slab: others have objects there. */
static void make_slab(void)
{
	static void *all[100];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(all); i++)
		all[i] = kmalloc(1024, GFP_KERNEL);
	for (i = 0; i < ARRAY_SIZE(all); i++)
		kfree(all[i]);
}

static int count(void *data)
{
	while (!kthread_should_stop()) {
		sink++;
		barrier();
	}
	return 0;
}

static void make_race(void)
{
	struct task_struct *other = kthread_run(count, NULL, "faults");
	unsigned long end = jiffies + 5 * HZ;

	if (IS_ERR(other))
		return;
	while (time_before(jiffies, end)) {
		sink++;
		barrier();
	}
	kthread_stop(other);
}

static const struct {
	const char *name;
	void (*make)(void);
} faults[] = {
	{ "freed", make_freed },
	{ "beyond", make_beyond },
	{ "shift", make_shift },
	{ "order", make_order },
	{ "sleep", make_sleep },
	{ "timer", make_timer },
	{ "list", make_list },
	{ "netns", make_netns },
	{ "leak", make_leak },
	{ "page", make_page },
	{ "slab", make_slab },
	{ "race", make_race },
};

static int faults_set(const char *value, const struct kernel_param *param)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (sysfs_streq(value, faults[i].name)) {
			faults[i].make();
			return 0;
		}
	}
	return -EINVAL;
}

static const struct kernel_param_ops faults_ops = { .set = faults_set };

module_param_cb(make, &faults_ops, NULL, 0200);

MODULE_DESCRIPTION("Makes mistakes for the kernel to see");
MODULE_LICENSE("GPL");
