/* SPDX-License-Identifier: GPL-2.0 */
/* What is called before and after the operations of a generic netlink family. */
#ifndef _HBC_COMPAT_GENL_H
#define _HBC_COMPAT_GENL_H

#ifdef HBC_HAVE_GENL_SPLIT_OPS
#define hbc_compat_genl_ops	genl_split_ops
#else
#define hbc_compat_genl_ops	genl_ops
#endif

#endif /* _HBC_COMPAT_GENL_H */
