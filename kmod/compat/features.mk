# SPDX-License-Identifier: GPL-2.0
# What this kernel's headers offer; nothing else in the module asks for versions.

# $(call hbc-has,HEADER,PATTERN,SYMBOL): define SYMBOL if HEADER holds PATTERN
hbc-has = $(if $(shell grep -s -e '$(2)' $(srctree)/include/$(1)),-D$(3))

ccflags-y += $(call hbc-has,linux/skbuff.h,^struct ubuf_info_ops,HBC_HAVE_UBUF_OPS)
ccflags-y += $(call hbc-has,linux/fs.h,inode_get_mtime,HBC_HAVE_INODE_MTIME)
ccflags-y += $(call hbc-has,net/genetlink.h,^struct genl_split_ops,HBC_HAVE_GENL_SPLIT_OPS)
