/*
 * Opens what is a regular file, and nothing else: names come from archives and programs of others,
 * and to open a device may have an effect.  A watchdog's resets the machine if it is opened and
 * nobody cares for it then.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens what `place` stands for, which has been looked at: a name may mean something else by now.
 * Without /proc there is only the name. */
static int
open_place(int place, const char *path)
{
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	char name[32];
	int fd;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", place);
	fd = open(name, flags);
	return fd < 0 && errno == ENOENT ? open(path, flags) : fd;
}

/* Returns a descriptor, and what is known of the file; or -1, and errno, which is ENOTSUP if it is
 * no regular file. */
int
regular_open(const char *path, struct stat *st)
{
	const int place = open(path, O_PATH | O_CLOEXEC);
	int fd = -1, error;

	if (place < 0)
		return -1;
	errno = ENOTSUP;
	if (fstat(place, st) == 0 && S_ISREG(st->st_mode))
		fd = open_place(place, path);
	if (fd >= 0 && (fstat(fd, st) < 0 || !S_ISREG(st->st_mode))) {
		close(fd);
		fd = -1;
		errno = ENOTSUP;
	}
	error = errno;
	close(place);
	errno = error;
	return fd;
}
