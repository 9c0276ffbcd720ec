/* SPDX-License-Identifier: GPL-2.0 */
/* A probe to another node: the connection, and the connector's side of the handshake. */
#ifndef _HBC_PROBE_CONNECT_H
#define _HBC_PROBE_CONNECT_H

struct hbc_probe;
struct sockaddr_storage;

/**
 * hbc_probe_connect() - connect, and prove who both are
 * @probe: it; its peer may be this node itself
 * @addr: where the peer listens
 *
 * Context: @probe->run.
 * Return: 0; -EKEYREJECTED, with @probe->reject, if one of them does not accept the
 * other; -ESHUTDOWN if the probe has ended; what the socket or a frame says.
 */
int hbc_probe_connect(struct hbc_probe *probe, const struct sockaddr_storage *addr);

#endif /* _HBC_PROBE_CONNECT_H */
