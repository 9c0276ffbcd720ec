// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The last program of a machine's boot: stops the machine, so that its state can
 * be kept, and when it goes on reads what the machine is to do.
 *
 * mailbox PANIC BOX JOB: PANIC is the resource of a pvpanic device, at which QEMU
 * pauses the machine; BOX the resource of an ivshmem device, which vm/machine.py
 * fills: a page with two sizes, the job, and a tar archive of the project's files
 * from the next page on. The job goes to the file JOB, the archive to the output.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/random.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096UL
#define PANICKED 1
#define MOST_AT_ONCE 65536

struct header {
	uint64_t job_size;
	uint64_t tree_size;
};

static void *map(const char *path)
{
	int fd = open(path, O_RDWR);
	struct stat stat;
	void *memory;

	if (fd < 0 || fstat(fd, &stat))
		err(1, "%s", path);
	memory = mmap(NULL, stat.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (memory == MAP_FAILED)
		err(1, "%s", path);
	close(fd);
	return memory;
}

static void put(int fd, const char *from, size_t size)
{
	ssize_t done;

	for (; size; from += done, size -= done) {
		done = write(fd, from, size < MOST_AT_ONCE ? size : MOST_AT_ONCE);
		if (done < 0)
			err(1, "write");
	}
}

/* What the kernel drew while it booted is the same in each machine; from here on
 * it follows from the machine's seed.
 */
static void draw_anew(void)
{
	int fd = open("/dev/urandom", O_RDWR);

	if (fd < 0 || ioctl(fd, RNDRESEEDCRNG))
		err(1, "/dev/urandom");
	close(fd);
}

int main(int argc, char **argv)
{
	uint8_t *panic;
	struct header header;
	const char *box;
	int fd;

	if (argc != 4)
		errx(1, "it is called by vm/init");
	panic = map(argv[1]);
	box = map(argv[2]);
	/* In virtual time the machine stops here, else a little later. */
	__atomic_store_n(panic, PANICKED, __ATOMIC_SEQ_CST);
	while (!__atomic_load_n((uint64_t *)box, __ATOMIC_SEQ_CST))
		usleep(1000);
	memcpy(&header, box, sizeof(header));
	draw_anew();
	fd = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (fd < 0)
		err(1, "%s", argv[3]);
	put(fd, box + PAGE, header.job_size);
	close(fd);
	box += PAGE + (header.job_size + PAGE - 1) / PAGE * PAGE;
	put(STDOUT_FILENO, box, header.tree_size);
	return 0;
}
