// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A twin of a TCP connection's receiving end, in another namespace.
 *
 * What a sink costs cannot be told from what its sender costs as long as there
 * is one sender per sink. So net.sh mirrors the packets for the sink to a
 * second namespace, which has the sink's address, and this makes a socket
 * there that is in the same state (TCP_REPAIR): one sender, two sinks. What
 * the twin answers is dropped.
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/tcp.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "net.h"
#include "twin.h"

static void set_option(int fd, int option, int value)
{
	if (setsockopt(fd, IPPROTO_TCP, option, &value, sizeof(value)))
		err(1, "twin: set TCP option %d", option);
}

static void get_option(int fd, int option, void *value, socklen_t len)
{
	if (getsockopt(fd, IPPROTO_TCP, option, value, &len))
		err(1, "twin: get TCP option %d", option);
}

/* What the two ends agreed on in their handshake. */
static void copy_options(int from, int to)
{
	struct tcp_repair_opt opt[4];
	struct tcp_info info;
	int n = 0, mss;

	get_option(from, TCP_INFO, &info, sizeof(info));
	get_option(from, TCP_MAXSEG, &mss, sizeof(mss));
	opt[n++] = (struct tcp_repair_opt){ TCPOPT_MAXSEG, mss };
	opt[n++] = (struct tcp_repair_opt){
		TCPOPT_WINDOW, info.tcpi_snd_wscale |
		(uint32_t)info.tcpi_rcv_wscale << 16 };
	if (info.tcpi_options & TCPI_OPT_SACK)
		opt[n++] = (struct tcp_repair_opt){ TCPOPT_SACK_PERMITTED, 0 };
	if (info.tcpi_options & TCPI_OPT_TIMESTAMPS)
		opt[n++] = (struct tcp_repair_opt){ TCPOPT_TIMESTAMP, 0 };
	if (setsockopt(to, IPPROTO_TCP, TCP_REPAIR_OPTIONS, opt,
		       n * sizeof(opt[0])))
		err(1, "twin: TCP_REPAIR_OPTIONS");
}

static void copy_sequence(int from, int to, int queue)
{
	int number;

	set_option(from, TCP_REPAIR_QUEUE, queue);
	get_option(from, TCP_QUEUE_SEQ, &number, sizeof(number));
	set_option(to, TCP_REPAIR_QUEUE, queue);
	set_option(to, TCP_QUEUE_SEQ, number);
}

static void copy_window(int from, int to)
{
	struct tcp_repair_window window;

	get_option(from, TCP_REPAIR_WINDOW, &window, sizeof(window));
	if (setsockopt(to, IPPROTO_TCP, TCP_REPAIR_WINDOW, &window,
		       sizeof(window)))
		err(1, "twin: TCP_REPAIR_WINDOW");
}

/**
 * twin_of() - a second receiver of a connection's data
 * @fd: a connected socket that has neither sent nor received anything yet
 * @node: where the twin shall be; it needs the address of @fd's node
 *
 * Return: the twin; exits with a sentence on any error.
 */
int twin_of(int fd, int node)
{
	int twin = net_socket(node, AF_INET, SOCK_STREAM);
	const int room = 64 << 20;
	struct sockaddr_in own, peer;
	socklen_t len = sizeof(own);

	if (getsockname(fd, (struct sockaddr *)&own, &len) ||
	    getpeername(fd, (struct sockaddr *)&peer, &len))
		err(1, "twin: addresses");
	/* The sender heeds the sink's window only: the twin's must be wider. */
	if (setsockopt(twin, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		err(1, "twin: SO_RCVBUFFORCE");
	set_option(fd, TCP_REPAIR, TCP_REPAIR_ON);
	set_option(twin, TCP_REPAIR, TCP_REPAIR_ON);
	if (bind(twin, (struct sockaddr *)&own, sizeof(own)))
		err(1, "twin: bind");
	copy_sequence(fd, twin, TCP_SEND_QUEUE);
	copy_sequence(fd, twin, TCP_RECV_QUEUE);
	if (connect(twin, (struct sockaddr *)&peer, sizeof(peer)))
		err(1, "twin: connect");
	copy_options(fd, twin);
	copy_window(fd, twin);
	set_option(fd, TCP_REPAIR, TCP_REPAIR_OFF_NO_WP);
	set_option(twin, TCP_REPAIR, TCP_REPAIR_OFF_NO_WP);
	return twin;
}
