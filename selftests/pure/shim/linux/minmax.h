/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef _SHIM_LINUX_MINMAX_H
#define _SHIM_LINUX_MINMAX_H

#define min(a, b) ({			\
	__typeof__(a) _a = (a);		\
	__typeof__(b) _b = (b);		\
	_a < _b ? _a : _b;		\
})

#endif /* _SHIM_LINUX_MINMAX_H */
