// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <linux/hbcast.h>
#include <linux/sockios.h>
#include "sockets.h"
#include "world.h"

/* What the system call takes, though the declaration says otherwise. */
#define NO_LENGTH	((socklen_t *)8)

/* One that is open, if there is any. */
static int choose_sock(struct choices *c)
{
	unsigned int at = choose(c, SOCKS), i;

	for (i = 0; i < SOCKS && world.socks[at] < 0; i++)
		at = (at + 1) % SOCKS;
	return world.socks[at];
}

static void choose_address(struct choices *c, struct sockaddr_hbcast *a)
{
	memset(a, 0, sizeof(*a));
	a->shb_family = AF_HBCAST;
	a->shb_port = choose_port(c);
	a->shb_group = choose_group(c);
	if (rarely(c, 16))
		spoil_bytes(c, (u8 *)a, sizeof(*a));
	if (a->shb_port == PORT_HONEST)
		a->shb_port = 0;
}

static socklen_t choose_address_length(struct choices *c)
{
	return rarely(c, 12) ? choose_number(c) : sizeof(struct sockaddr_hbcast);
}

void sockets_reset(void)
{
	struct sockaddr_hbcast a = {
		.shb_family = AF_HBCAST,
		.shb_port = PORT_FIRST,
		.shb_group = GROUP,
	};
	unsigned int i;

	for (i = 0; i < SOCKS; i++) {
		if (world.socks[i] >= 0)
			close(world.socks[i]);
		world.socks[i] = -1;
	}
	for (i = 0; i < PLACES; i++) {
		world.socks[i] = world_socket(world.ns[i], AF_HBCAST,
					      SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
		bind(world.socks[i], (struct sockaddr *)&a, sizeof(a));
		connect(world.socks[i], (struct sockaddr *)&a, sizeof(a));
	}
}

/* A socket that is bound or connected already, for most programs want that. */
void call_socket(struct choices *c)
{
	unsigned int at = choose(c, SOCKS), place = choose(c, PLACES), how = choose(c, 4);
	int type = SOCK_SEQPACKET, protocol = 0, on;
	struct sockaddr_hbcast a;

	if (rarely(c, 16))
		type = choose(c, 16);
	if (rarely(c, 16))
		protocol = choose_number(c);
	if (!rarely(c, 6))
		type |= SOCK_NONBLOCK;
	if (world.socks[at] >= 0)
		close(world.socks[at]);
	world.socks[at] = world_socket(world.ns[place], AF_HBCAST, type, protocol);
	choose_address(c, &a);
	on = rarely(c, 3);
	if (on)
		setsockopt(world.socks[at], SOL_HBCAST, HBCAST_UNORDERED, &on, sizeof(on));
	on = rarely(c, 3);
	if (on)
		setsockopt(world.socks[at], SOL_HBCAST, HBCAST_NOTIFY, &on, sizeof(on));
	/* Who sends at the honest node has no plan there. */
	if (how & 1)
		bind(world.socks[at], (struct sockaddr *)&a, sizeof(a));
	if (how & 2)
		connect(world.socks[at], (struct sockaddr *)&a, sizeof(a));
}

void call_address(struct choices *c)
{
	int fd = choose_sock(c);
	struct sockaddr_storage a = {};
	socklen_t len;

	choose_address(c, (struct sockaddr_hbcast *)&a);
	len = choose_address_length(c);
	switch (choose(c, 4)) {
	case 0:
		bind(fd, (struct sockaddr *)&a, len);
		break;
	case 1:
		connect(fd, (struct sockaddr *)&a, len);
		break;
	case 2:
		getsockname(fd, choose_memory(c, sizeof(a)), &len);
		break;
	case 3:
		getpeername(fd, choose_memory(c, sizeof(a)), &len);
		break;
	}
}

static size_t choose_length(struct choices *c)
{
	switch (choose(c, 8)) {
	case 0:
		return 0;
	case 1:
		return DATA;
	case 2:
		return 65480 + choose(c, 32);
	case 3:
		return choose(c, DATA);
	}
	return choose(c, 3000);
}

static int choose_flags(struct choices *c)
{
	static const int flags[] = {
		MSG_DONTWAIT, MSG_PEEK, MSG_TRUNC, MSG_EOR, MSG_MORE, MSG_WAITALL, MSG_ERRQUEUE,
		MSG_OOB, MSG_ZEROCOPY, MSG_CONFIRM, MSG_CTRUNC, MSG_BATCH, MSG_CMSG_CLOEXEC,
	};
	int chosen = MSG_NOSIGNAL;

	if (!rarely(c, 8))
		chosen |= MSG_DONTWAIT;
	while (rarely(c, 3))
		chosen |= choose_from(c, flags);
	if (rarely(c, 64))
		chosen |= choose_number(c);
	return chosen;
}

/* The bytes in up to four pieces. */
static unsigned int choose_pieces(struct choices *c, struct iovec *iov)
{
	size_t len = choose_length(c), part;
	u8 *at = choose_memory(c, len);
	unsigned int n = 0;

	while (n < 3 && rarely(c, 3)) {
		part = choose(c, len + 1);
		iov[n].iov_base = at;
		iov[n++].iov_len = part;
		at += part;
		len -= part;
	}
	iov[n].iov_base = at;
	iov[n++].iov_len = rarely(c, 64) ? choose_number(c) : len;
	return n;
}

void call_send(struct choices *c)
{
	int fd = choose_sock(c);
	struct sockaddr_hbcast a;
	struct iovec iov[4];
	struct msghdr msg = { .msg_iov = iov };
	socklen_t len = sizeof(world.message);
	u64 control[8];

	msg.msg_iovlen = choose_pieces(c, iov);
	if (rarely(c, 16)) {
		choose_address(c, &a);
		msg.msg_name = &a;
		msg.msg_namelen = choose_address_length(c);
	}
	if (rarely(c, 16)) {
		choose_bytes(c, (u8 *)control, sizeof(control));
		control[0] = 1 + choose(c, sizeof(control));
		control[1] = rarely(c, 2) ? SOL_HBCAST : SOL_SOCKET;
		msg.msg_control = control;
		msg.msg_controllen = 1 + choose(c, sizeof(control));
	}
	if (sendmsg(fd, &msg, choose_flags(c)) >= 0)
		getsockopt(fd, SOL_HBCAST, HBCAST_LAST_MESSAGE, &world.message, &len);
}

void call_receive(struct choices *c)
{
	int fd = choose_sock(c), count;
	struct sockaddr_hbcast a;
	struct iovec iov[4];
	struct msghdr msg = { .msg_iov = iov };
	u64 control[16];

	msg.msg_iovlen = choose_pieces(c, iov);
	msg.msg_name = rarely(c, 8) ? choose_memory(c, sizeof(a)) : &a;
	msg.msg_namelen = choose_address_length(c);
	msg.msg_control = rarely(c, 8) ? choose_memory(c, sizeof(control)) : control;
	msg.msg_controllen = rarely(c, 4) ? choose(c, sizeof(control)) : sizeof(control);
	/* All of it, more often than not. */
	count = rarely(c, 2) ? 1 : 20;
	while (count-- && recvmsg(fd, &msg, choose_flags(c)) > 0) {
		if (msg.msg_flags & MSG_EOR)
			break;
	}
}

static void set_socket_option(struct choices *c, int fd)
{
	struct linger linger = { .l_onoff = choose(c, 2), .l_linger = choose(c, 2) };
	struct timeval time = { .tv_usec = choose(c, 1000000) };
	int value = choose_number(c), name = choose(c, 80);

	switch (choose(c, 5)) {
	case 0:
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
		break;
	case 1:
		setsockopt(fd, SOL_SOCKET, rarely(c, 2) ? SO_RCVTIMEO : SO_SNDTIMEO, &time,
			   sizeof(time));
		break;
	case 2:
		setsockopt(fd, SOL_SOCKET, rarely(c, 2) ? SO_RCVBUF : SO_SNDBUF, &value,
			   sizeof(value));
		break;
	default:
		if (name != SO_LINGER)
			setsockopt(fd, SOL_SOCKET, name, &value, sizeof(value));
		break;
	}
}

void call_option(struct choices *c)
{
	int fd = choose_sock(c);
	int level = rarely(c, 24) ? (int)choose_number(c) : SOL_HBCAST;
	int name = rarely(c, 24) ? (int)choose_number(c) : (int)choose(c, HBCAST_FAILURE + 2);
	u8 value[512] = {};
	u64 message;
	socklen_t len = sizeof(value);

	switch (choose(c, 4)) {
	case 0:
		set_socket_option(c, fd);
		break;
	case 1:
		value[0] = choose(c, 2);
		len = rarely(c, 6) ? choose_number(c) : sizeof(int);
		setsockopt(fd, level, name, rarely(c, 16) ? NULL : value, len);
		break;
	default:
		message = rarely(c, 2) ? choose_message(c) : 0;
		memcpy(value, &message, sizeof(message));
		if (rarely(c, 3))
			len = choose(c, 64);
		if (rarely(c, 24))
			len = choose_number(c);
		if (len > sizeof(value))
			getsockopt(fd, level, name, choose_memory(c, 64), &len);
		else
			getsockopt(fd, level, name, value, rarely(c, 24) ? NO_LENGTH : &len);
		break;
	}
}

static void send_file(struct choices *c, int fd)
{
	struct hbcast_file f = {
		.fd = world.file,
		.offset = choose(c, 5000),
		.length = choose_length(c),
	};

	switch (choose(c, 10)) {
	case 0:
		f.fd = choose_sock(c);
		break;
	case 1:
		f.fd = choose_number(c);
		break;
	case 2:
		f.offset = choose_number(c);
		break;
	case 3:
		f.length = choose_number(c);
		break;
	case 4:
		f.flags = choose_number(c);
		break;
	case 5:
		f.fd = world.listener;
		break;
	}
	ioctl(fd, HBCIOCSENDFILE, rarely(c, 24) ? choose_memory(c, sizeof(f)) : &f);
}

void call_ioctl(struct choices *c)
{
	int fd = choose_sock(c), value;
	struct hbcast_wait w = {
		.message = rarely(c, 2) ? choose_message(c) : 0,
		.timeout_ms = rarely(c, 4) ? choose_number(c) : 1 + choose(c, 10),
	};

	switch (choose(c, 6)) {
	case 0:
	case 1:
		send_file(c, fd);
		break;
	case 2:
		ioctl(fd, HBCIOCWAIT, rarely(c, 24) ? choose_memory(c, sizeof(w)) : (void *)&w);
		break;
	case 3:
		ioctl(fd, SIOCINQ, rarely(c, 16) ? choose_memory(c, sizeof(value)) : &value);
		break;
	case 4:
		ioctl(fd, SIOCOUTQ, rarely(c, 16) ? choose_memory(c, sizeof(value)) : &value);
		break;
	case 5:
		ioctl(fd, _IOWR(0x89, choose(c, 256), u64[4]), choose_memory(c, 128));
		break;
	}
}

void call_other(struct choices *c)
{
	int fd = choose_sock(c);
	struct pollfd p = { .fd = fd, .events = choose(c, 1 << 11) };
	off_t offset = choose(c, DATA);
	int other, pair[2];

	switch (choose(c, 8)) {
	case 0:
		shutdown(fd, rarely(c, 8) ? (int)choose_number(c) : (int)choose(c, 3));
		break;
	case 1:
		listen(fd, choose(c, 10));
		other = accept(fd, NULL, NULL);
		if (other >= 0)
			close(other);
		break;
	case 2:
		if (!socketpair(AF_HBCAST, SOCK_SEQPACKET, 0, pair)) {
			close(pair[0]);
			close(pair[1]);
		}
		break;
	case 3:
		sendfile(fd, world.file, &offset, choose_length(c));
		break;
	case 4:
		write(fd, choose_memory(c, 1000), 1000);
		break;
	case 5:
		read(fd, choose_memory(c, 1000), 1000);
		break;
	default:
		poll(&p, 1, choose(c, 5));
		break;
	}
}

void call_close(struct choices *c)
{
	unsigned int at = choose(c, SOCKS);

	if (world.socks[at] >= 0)
		close(world.socks[at]);
	world.socks[at] = -1;
}
