// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading of the module.
 */
#include <linux/module.h>

static int __init hbc_init(void)
{
	return 0;
}

static void __exit hbc_exit(void)
{
}

module_init(hbc_init);
module_exit(hbc_exit);

MODULE_DESCRIPTION("Broadcast along trees of TCP connections");
MODULE_LICENSE("GPL");
