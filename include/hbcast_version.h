/* SPDX-License-Identifier: GPL-2.0 */
/* The release: of the module, the tool and the library, which belong together. */
#ifndef _HBCAST_VERSION_H
#define _HBCAST_VERSION_H

#define HBCAST_VERSION	"0.1.0"

#endif /* _HBCAST_VERSION_H */
