// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the kernel's CRC32C of a receiver costs: the same code, asked through
 * AF_ALG (no payload is copied there), in pieces as long as a fragment.
 *
 * A system call costs far more than the CRC of one piece, so pieces of that
 * length are compared with very short ones, the same number of both. What is
 * left is what a fragment's CRC needs, getting hold of the vector unit included.
 */
#include <err.h>
#include <linux/if_alg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "busy.h"
#include "crc.h"

/* The kernel does without the vector unit for as little. */
#define CRC_TINY_BYTES	8

static int open_crc(void)
{
	struct sockaddr_alg addr = {
		.salg_family = AF_ALG, .salg_type = "hash",
		.salg_name = "crc32c",
	};
	int alg = socket(AF_ALG, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	int fd;

	if (alg < 0 || bind(alg, (struct sockaddr *)&addr, sizeof(addr)))
		err(1, "AF_ALG crc32c");
	fd = accept(alg, NULL, NULL);
	if (fd < 0)
		err(1, "AF_ALG accept");
	close(alg);
	return fd;
}

static uint64_t hash(int fd, size_t piece, uint64_t times)
{
	char *data = aligned_alloc(4096, 4096);
	struct busy_mark mark;
	uint64_t idle_ns;
	uint64_t busy_ns;

	if (!data)
		err(1, "aligned_alloc");
	memset(data, 0x5a, 4096);
	busy_start(&mark);
	for (uint64_t i = 0; i < times; i++)
		if (send(fd, data, piece, MSG_MORE) != (ssize_t)piece)
			err(1, "AF_ALG send");
	busy_ns = busy_stop(&mark, &idle_ns);
	free(data);
	return busy_ns;
}

/**
 * crc_cost() - the cost of a CRC32C in the kernel
 * @bytes: over how many bytes, at least CRC_PIECE_BYTES
 *
 * Return: nanoseconds for all of @bytes.
 */
uint64_t crc_cost(uint64_t bytes)
{
	uint64_t times = bytes / CRC_PIECE_BYTES;
	int fd = open_crc();
	uint64_t tiny, whole;

	hash(fd, CRC_PIECE_BYTES, 100);
	tiny = hash(fd, CRC_TINY_BYTES, times);
	whole = hash(fd, CRC_PIECE_BYTES, times);
	close(fd);
	return whole - tiny;
}
