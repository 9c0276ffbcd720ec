// SPDX-License-Identifier: GPL-2.0-or-later
/* Preloaded: a disk that takes $SYNC_SECONDS for what a program has written. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int fdatasync(int fd)
{
	sleep(atoi(getenv("SYNC_SECONDS")));
	return syscall(SYS_fdatasync, fd);
}
