/* SPDX-License-Identifier: GPL-2.0 */
/* When a file changed last. */
#ifndef _HBC_COMPAT_FILE_H
#define _HBC_COMPAT_FILE_H

#include <linux/fs.h>

#ifdef HBC_HAVE_INODE_MTIME
#define hbc_compat_mtime(inode)	inode_get_mtime(inode)
#else
#define hbc_compat_mtime(inode)	((inode)->i_mtime)
#endif

#endif /* _HBC_COMPAT_FILE_H */
