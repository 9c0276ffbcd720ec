// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measuring latency and bandwidth between two network namespaces. Both ends
 * of a probe are sockets of this process: a socket stays in the namespace in
 * which it was created, and both namespaces have the same clock, so that
 * latency is measured one way.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lab_probe.h"
#include "output.h"

#define NSEC_PER_SEC	INT64_C(1000000000)
#define LATENCY_PROBES	10
#define WINDOWS		8
#define TOLERANCE	0.05
/* Of Ethernet, IPv4 and TCP with timestamps, beside a segment's payload. */
#define HEADER_BYTES	66

static int64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

/**
 * hblab_netns_enter() - go into a network namespace
 * @ctl: the run
 * @netns: its name
 * @back: gets a descriptor of the old one for hblab_netns_leave()
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hblab_netns_enter(struct hbctl *ctl, const char *netns, int *back)
{
	char path[320];
	int fd;

	*back = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (*back < 0 || fd < 0 || setns(fd, CLONE_NEWNET)) {
		hbctl_error(ctl, HBCTL_KERNEL,
			    "network namespace %s cannot be entered (%s): take the lab down and up again, as root",
			    netns, strerror(errno));
		if (*back >= 0)
			close(*back);
		if (fd >= 0)
			close(fd);
		return HBCTL_KERNEL;
	}
	close(fd);
	return HBCTL_OK;
}

/**
 * hblab_netns_leave() - go back to where hblab_netns_enter() was called
 * @ctl: the run
 * @back: what hblab_netns_enter() gave; closed
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hblab_netns_leave(struct hbctl *ctl, int back)
{
	int ret = HBCTL_OK;

	if (setns(back, CLONE_NEWNET))
		ret = hbctl_error(ctl, HBCTL_KERNEL,
				  "the first network namespace cannot be entered again: %s",
				  strerror(errno));
	close(back);
	return ret;
}

static socklen_t address_len(const struct sockaddr_storage *address)
{
	return address->ss_family == AF_INET ? sizeof(struct sockaddr_in) :
					       sizeof(struct sockaddr_in6);
}

/* A socket bound to the address of @place and a port of the kernel's choice. */
static int place_socket(struct hbctl *ctl, const struct hblab_place *place,
			int type, int *fd)
{
	struct sockaddr_storage address = place->address;
	int back, ret;

	ret = hblab_netns_enter(ctl, place->netns, &back);
	if (ret)
		return ret;
	((struct sockaddr_in *)&address)->sin_port = 0;
	*fd = socket(address.ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd < 0 || bind(*fd, (struct sockaddr *)&address,
			    address_len(&address))) {
		ret = hbctl_error(ctl, HBCTL_KERNEL,
				  "no socket can be bound in namespace %s: %s",
				  place->netns, strerror(errno));
		if (*fd >= 0)
			close(*fd);
		*fd = -1;
	}
	if (hblab_netns_leave(ctl, back))
		ret = HBCTL_KERNEL;
	return ret;
}

/* Waits until @fd can be read; false when the time is over. */
static bool wait_readable(int fd, int64_t deadline)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int64_t left;
	int n;

	do {
		left = deadline - now_ns(CLOCK_MONOTONIC);
		if (left < 0)
			left = 0;
		n = poll(&pfd, 1, left / 1000000 + 1);
	} while (n < 0 && errno == EINTR);
	return n > 0;
}

/* Receives one datagram with @number in it; its arrival, or -1 if none. */
static int64_t receive_stamp(int fd, int64_t number, int64_t deadline)
{
	char control[256];
	int64_t got;
	struct iovec iov = { .iov_base = &got, .iov_len = sizeof(got) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;
	struct timespec ts;

	while (wait_readable(fd, deadline)) {
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		if (recvmsg(fd, &msg, 0) != sizeof(got) || got != number)
			continue;
		for (c = CMSG_FIRSTHDR(&msg); c; c = CMSG_NXTHDR(&msg, c)) {
			if (c->cmsg_level != SOL_SOCKET ||
			    c->cmsg_type != SCM_TIMESTAMPNS)
				continue;
			memcpy(&ts, CMSG_DATA(c), sizeof(ts));
			return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
		}
	}
	return -1;
}

/**
 * hblab_probe_latency() - measure the latency from one place to another
 * @ctl: the run
 * @from: where datagrams are sent
 * @to: where they arrive
 * @wish: what is expected; a datagram is lost a second after that
 * @latency_ns: gets the least latency of a few datagrams, or -1 if all were
 *	lost
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hblab_probe_latency(struct hbctl *ctl, const struct hblab_place *from,
			const struct hblab_place *to,
			const struct hblab_wish *wish, int64_t *latency_ns)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);
	int out = -1, in = -1, one = 1, ret;
	int64_t i, sent, got;

	*latency_ns = -1;
	ret = place_socket(ctl, to, SOCK_DGRAM, &in);
	if (!ret)
		ret = place_socket(ctl, from, SOCK_DGRAM, &out);
	if (ret)
		goto out;
	if (setsockopt(in, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one)) ||
	    getsockname(in, (struct sockaddr *)&address, &len)) {
		ret = hbctl_error(ctl, HBCTL_KERNEL,
				  "datagrams cannot be stamped: %s",
				  strerror(errno));
		goto out;
	}
	for (i = 0; i < LATENCY_PROBES; i++) {
		sent = now_ns(CLOCK_REALTIME);
		if (sendto(out, &i, sizeof(i), 0, (struct sockaddr *)&address,
			   len) != sizeof(i))
			continue;
		got = receive_stamp(in, i, now_ns(CLOCK_MONOTONIC) +
				    wish->latency_ns + NSEC_PER_SEC);
		if (got >= sent && (*latency_ns < 0 || got - sent < *latency_ns))
			*latency_ns = got - sent;
	}
out:
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return ret;
}

/* Room for what is under way in a transfer, whatever the system's limits. */
static void enlarge_buffer(int fd, int option, const struct hblab_wish *wish)
{
	double bytes = 4.0 * wish->bps / 8 * wish->round_ns / NSEC_PER_SEC;
	int size = bytes < 262144 ? 262144 : bytes > 1e9 ? 1e9 : bytes;

	setsockopt(fd, SOL_SOCKET, option, &size, sizeof(size));
}

/* A connection between two places; fds are -1 if it could not be made. */
static int make_connection(struct hbctl *ctl, const struct hblab_place *from,
			   const struct hblab_place *to,
			   const struct hblab_wish *wish, int *out, int *in)
{
	struct sockaddr_storage address;
	socklen_t len = sizeof(address);
	int listener = -1, ret;

	*out = -1;
	*in = -1;
	ret = place_socket(ctl, to, SOCK_STREAM, &listener);
	if (!ret)
		ret = place_socket(ctl, from, SOCK_STREAM, out);
	if (ret)
		goto out;
	enlarge_buffer(listener, SO_RCVBUFFORCE, wish);
	enlarge_buffer(*out, SO_SNDBUFFORCE, wish);
	if (!listen(listener, 1) &&
	    !getsockname(listener, (struct sockaddr *)&address, &len) &&
	    connect(*out, (struct sockaddr *)&address, len) &&
	    errno == EINPROGRESS &&
	    wait_readable(listener, now_ns(CLOCK_MONOTONIC) +
			  2 * wish->round_ns + 4 * NSEC_PER_SEC))
		*in = accept4(listener, NULL, NULL,
			      SOCK_CLOEXEC | SOCK_NONBLOCK);
out:
	if (listener >= 0)
		close(listener);
	return ret;
}

/* Sends until the other side goes away; never returns. */
static void send_for_ever(int fd)
{
	static char buf[65536];

	fcntl(fd, F_SETFL, 0);
	signal(SIGPIPE, SIG_DFL);
	while (send(fd, buf, sizeof(buf), 0) > 0)
		;
	_exit(0);
}

/* Reads until @deadline; false at the end of the stream. */
static bool read_until(int fd, int64_t deadline)
{
	static char buf[262144];
	ssize_t n;

	while (now_ns(CLOCK_MONOTONIC) < deadline) {
		if (!wait_readable(fd, deadline))
			break;
		n = recv(fd, buf, sizeof(buf), 0);
		if (!n || (n < 0 && errno != EAGAIN && errno != EINTR))
			return false;
	}
	return true;
}

/*
 * Payload that has arrived at the other end of @fd in bytes, also beyond a gap;
 * what the receiver has read comes in jumps when gaps are filled.
 */
static int64_t delivered(int fd)
{
	struct tcp_info info;
	socklen_t len = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		return 0;
	return (int64_t)info.tcpi_delivered *
	       (info.tcpi_snd_mss + HEADER_BYTES);
}

/*
 * The rate of a stream once it is up to speed. A busy machine can only lower
 * it, and the first loss of a slow start does for a while, so a window that is
 * below what is wished is followed by another one; the best counts.
 */
static int64_t measure_rate(int out, int in, const struct hblab_wish *wish)
{
	int64_t begin, end, bytes, bps, best = 0;
	int i;

	begin = now_ns(CLOCK_MONOTONIC);
	end = begin + NSEC_PER_SEC / 2 + 12 * wish->round_ns;
	if (!read_until(in, end))
		return 0;
	for (i = 0; i < WINDOWS; i++) {
		begin = now_ns(CLOCK_MONOTONIC);
		bytes = delivered(out);
		if (!read_until(in, begin + NSEC_PER_SEC + 4 * wish->round_ns))
			break;
		end = now_ns(CLOCK_MONOTONIC);
		bytes = delivered(out) - bytes;
		bps = (double)bytes * 8 * NSEC_PER_SEC / (end - begin);
		if (bps > best)
			best = bps;
		if (best >= wish->bps * (1 - TOLERANCE / 2))
			break;
	}
	return best;
}

/**
 * hblab_probe_bandwidth() - measure what a TCP transfer fills
 * @ctl: the run
 * @from: the sender's place
 * @to: the receiver's place
 * @wish: what is expected; bounds buffers and time
 * @bps: gets what arrives in bit/s, headers counted, 0 if there is none
 *
 * Return: HBCTL_OK, or an exit code after it has reported the error.
 */
int hblab_probe_bandwidth(struct hbctl *ctl, const struct hblab_place *from,
			  const struct hblab_place *to,
			  const struct hblab_wish *wish, int64_t *bps)
{
	struct linger abort_it = { .l_onoff = 1 };
	int out, in, ret;
	pid_t pid;

	*bps = 0;
	ret = make_connection(ctl, from, to, wish, &out, &in);
	if (ret || in < 0)
		goto out;
	setsockopt(out, SOL_SOCKET, SO_LINGER, &abort_it, sizeof(abort_it));
	pid = fork();
	if (!pid) {
		close(in);
		send_for_ever(out);
	}
	if (pid < 0) {
		ret = hbctl_error(ctl, HBCTL_KERNEL,
				  "no process for a transfer: %s",
				  strerror(errno));
		goto out;
	}
	*bps = measure_rate(out, in, wish);
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
out:
	if (out >= 0)
		close(out);
	if (in >= 0)
		close(in);
	return ret;
}
