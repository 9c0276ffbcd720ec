/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls on sockets of the family, with arguments that are good and others. */
#ifndef _HBC_FUZZ_SOCKETS_H
#define _HBC_FUZZ_SOCKETS_H

#include "choices.h"

/* Closes all; then one at each place reads what comes to the first port, and sends. */
void sockets_reset(void);

/* One call of a program. */
void call_socket(struct choices *c);
void call_address(struct choices *c);
void call_send(struct choices *c);
void call_receive(struct choices *c);
void call_option(struct choices *c);
void call_ioctl(struct choices *c);
void call_other(struct choices *c);
void call_close(struct choices *c);

#endif /* _HBC_FUZZ_SOCKETS_H */
