// SPDX-License-Identifier: GPL-2.0-or-later
/* Sockets at the nodes that test-socket.sh has set up. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/userfaultfd.h>

#include "node.h"

static int open_namespace(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		err(EXIT_FAILURE, "%s", path);
	return fd;
}

static void enter(int fd)
{
	if (setns(fd, CLONE_NEWNET))
		err(EXIT_FAILURE, "setns");
	close(fd);
}

static unsigned int slowness(void)
{
	const char *times = getenv("HBCAST_SLOWNESS");

	return times ? atoi(times) : 1;
}

unsigned int patience(unsigned int ms)
{
	return ms * slowness();
}

unsigned int share(unsigned int much)
{
	return much / slowness();
}

int node_socket(int node, int type, int protocol)
{
	int home = open_namespace("/proc/self/ns/net");
	char path[64];
	int fd, saved;

	snprintf(path, sizeof(path), "/run/netns/n%d", node);
	enter(open_namespace(path));
	fd = socket(AF_HBCAST, type, protocol);
	saved = errno;
	enter(home);
	errno = saved;
	return fd;
}

void node_address(struct sockaddr_hbcast *a, unsigned int group, unsigned int port)
{
	memset(a, 0, sizeof(*a));
	a->shb_family = AF_HBCAST;
	a->shb_group = group;
	a->shb_port = port;
}

static int node_open(int node, unsigned int port, bool connects, int unordered)
{
	int fd = node_socket(node, SOCK_SEQPACKET, 0), ret;
	struct sockaddr_hbcast a;

	if (fd < 0)
		return -1;
	node_address(&a, GROUP, port);
	/* Tests read one receiver after the other: neither holds up the other. */
	set_int(fd, SOL_SOCKET, SO_RCVBUFFORCE, 4 << 20);
	if (unordered)
		set_int(fd, SOL_HBCAST, HBCAST_UNORDERED, 1);
	if (connects)
		ret = connect(fd, (struct sockaddr *)&a, sizeof(a));
	else
		ret = bind(fd, (struct sockaddr *)&a, sizeof(a));
	if (!ret)
		return fd;
	close(fd);
	return -1;
}

int node_receiver(int node, unsigned int port)
{
	return node_open(node, port, false, false);
}

int node_receiver_unordered(int node, unsigned int port)
{
	return node_open(node, port, false, true);
}

int node_sender(int node, unsigned int port)
{
	return node_open(node, port, true, false);
}

bool node_trio(unsigned int port, bool unordered, int *sender, int *near, int *far)
{
	int (*receiver)(int node, unsigned int port) =
		unordered ? node_receiver_unordered : node_receiver;

	*sender = node_sender(1, port);
	*near = receiver(2, port);
	*far = receiver(3, port);
	if (*sender < 0 || *near < 0 || *far < 0)
		return false;
	set_timeout(*near, SO_RCVTIMEO, patience(20000));
	set_timeout(*far, SO_RCVTIMEO, patience(20000));
	return true;
}

int node_run(int node, const char *command)
{
	char line[512];
	int status;

	snprintf(line, sizeof(line),
		 "at='ip netns exec n%d'; ctl=\"$at $HBCAST_CTL\"; tc='ip netns exec switch tc qdisc'; %s",
		 node, command);
	status = system(line);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

uint8_t pattern_at(unsigned int seed, uint64_t offset)
{
	uint64_t x = (offset / 8 + 1) * 0x9e3779b97f4a7c15ULL + seed * 0xbf58476d1ce4e5b9ULL;

	x ^= x >> 29;
	return x >> (offset % 8 * 8);
}

void *pattern_make(unsigned int seed, size_t len)
{
	uint8_t *buf = malloc(len ?: 1);
	size_t i;

	if (!buf)
		err(EXIT_FAILURE, "malloc");
	for (i = 0; i < len; i++)
		buf[i] = pattern_at(seed, i);
	return buf;
}

long pattern_check(unsigned int seed, uint64_t offset, const void *buf, size_t len)
{
	const uint8_t *byte = buf;
	size_t i;

	for (i = 0; i < len; i++)
		if (byte[i] != pattern_at(seed, offset + i))
			return i;
	return -1;
}

struct received receive(int fd, void *buf, size_t len, int flags)
{
	char control[CMSG_SPACE(sizeof(struct hbcast_failure))];
	struct received r = { .bytes = 0 };
	struct iovec iov = { .iov_base = buf, .iov_len = len };
	struct msghdr msg = {
		.msg_name = &r.from,
		.msg_namelen = sizeof(r.from),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;

	r.bytes = ERR(recvmsg(fd, &msg, flags));
	if (r.bytes < 0)
		return r;
	r.flags = msg.msg_flags;
	r.from_len = msg.msg_namelen;
	for (cmsg = CMSG_FIRSTHDR(&msg); cmsg; cmsg = CMSG_NXTHDR(&msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_HBCAST)
			continue;
		if (cmsg->cmsg_type == HBCAST_PIECE) {
			r.has_piece = true;
			memcpy(&r.piece, CMSG_DATA(cmsg), sizeof(r.piece));
		} else if (cmsg->cmsg_type == HBCAST_FAILURE) {
			r.has_failure = true;
			memcpy(&r.failure, CMSG_DATA(cmsg), sizeof(r.failure));
		}
	}
	return r;
}

long receive_message(int fd, unsigned int seed, size_t chunk)
{
	uint8_t *buf = malloc(chunk);
	struct received r;
	long total = 0;

	if (!buf)
		err(EXIT_FAILURE, "malloc");
	do {
		r = receive(fd, buf, chunk, 0);
		if (r.bytes < 0 || (!r.bytes && !(r.flags & MSG_EOR))) {
			total = r.bytes ?: -ESHUTDOWN;
			break;
		}
		if (pattern_check(seed, total, buf, r.bytes) >= 0) {
			total = -EILSEQ;
			break;
		}
		total += r.bytes;
	} while (!(r.flags & MSG_EOR));
	free(buf);
	return total;
}

long send_file_message(int fd, unsigned int seed, size_t len)
{
	struct hbcast_file f = { .fd = memfd_create("message", 0), .length = len };
	void *bytes = pattern_make(seed, len);
	long ret;

	if (f.fd < 0 || write(f.fd, bytes, len) != (ssize_t)len)
		err(EXIT_FAILURE, "memfd");
	ret = ERR(ioctl(fd, HBCIOCSENDFILE, &f));
	close(f.fd);
	free(bytes);
	return ret ?: (long)len;
}

long send_message(int fd, unsigned int seed, size_t len, int flags)
{
	void *buf = pattern_make(seed, len);
	long ret = ERR(send(fd, buf, len, flags));

	free(buf);
	return ret;
}

long wait_complete(int fd, unsigned int timeout_ms)
{
	struct hbcast_wait w = { .timeout_ms = patience(timeout_ms) };
	long ret = ERR(ioctl(fd, HBCIOCWAIT, &w));

	return ret ?: (long)w.failed;
}

long get_report(int fd, uint64_t message, struct report *r)
{
	socklen_t len = sizeof(*r);
	long ret;

	memset(r, 0, sizeof(*r));
	r->c.message = message;
	ret = ERR(getsockopt(fd, SOL_HBCAST, HBCAST_COMPLETION, r, &len));
	return ret ?: (long)((len - sizeof(r->c)) / sizeof(r->member[0]));
}

struct hbcast_member *report_of(struct report *r, unsigned int node)
{
	unsigned int i;

	for (i = 0; i < NODES; i++)
		if (r->member[i].node == node)
			return &r->member[i];
	errx(EXIT_FAILURE, "node %u is no member of the message", node);
}

bool wait_poll(int fd, short events, int timeout_ms)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, patience(timeout_ms)) == 1 && p.revents & events;
}

short poll_now(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT | POLLRDHUP };

	poll(&p, 1, 0);
	return p.revents;
}

void set_int(int fd, int level, int name, int value)
{
	if (setsockopt(fd, level, name, &value, sizeof(value)))
		err(EXIT_FAILURE, "setsockopt %d", name);
}

void set_timeout(int fd, int name, int ms)
{
	struct timeval tv = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 };

	if (setsockopt(fd, SOL_SOCKET, name, &tv, sizeof(tv)))
		err(EXIT_FAILURE, "setsockopt %d", name);
}

uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

void *unfilled_page(void)
{
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	void *page;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	range.range.start = (unsigned long)page;
	range.range.len = 4096;
	if (page == MAP_FAILED || fd < 0 || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &range))
		return NULL;
	return page;
}
