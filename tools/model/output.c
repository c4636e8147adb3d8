/*
 * Writes the profile to its file when all of it is in memory.  A hole, which bsd-gmon has for bins
 * without ticks, stays a hole if the output can have any.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "write_all.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct output {
	int fd;
	bool holes; /* the output is new, and a file of ours alone */
};

static int
write_zeros(int fd, uint64_t len)
{
	static const char zeros[64 << 10];

	for (uint64_t n; len > 0; len -= n) {
		n = len < sizeof(zeros) ? len : sizeof(zeros);
		if (write_all(fd, zeros, n) < 0)
			return -1;
	}
	return 0;
}

static int
put_hole(const struct output *o, uint64_t len)
{
	if (o->holes)
		return lseek(o->fd, (off_t)len, SEEK_CUR) < 0 ? -1 : 0;
	return write_zeros(o->fd, len);
}

/* Returns where there is data, at `at` or behind it; a system that can't tell has no holes. */
static uint64_t
find_data(int fd, uint64_t at, uint64_t size)
{
	const off_t data = lseek(fd, (off_t)at, SEEK_DATA);

	if (data < 0)
		return errno == ENXIO ? size : at;
	return (uint64_t)data;
}

static uint64_t
find_hole(int fd, uint64_t at, uint64_t size)
{
	const off_t hole = lseek(fd, (off_t)at, SEEK_HOLE);

	return hole < 0 ? size : (uint64_t)hole;
}

static int
put_data(const struct output *o, int from, uint64_t at, uint64_t len)
{
	static char block[256 << 10];

	while (len > 0) {
		const size_t most = len < sizeof(block) ? len : sizeof(block);
		const ssize_t n = pread(from, block, most, (off_t)at);

		if (n <= 0)
			err(EXIT_BAD, "memory");
		if (write_all(o->fd, block, (size_t)n) < 0)
			return -1;
		at += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return 0;
}

static int
put_profile(const struct output *o, int from, uint64_t size)
{
	for (uint64_t at = 0, start; at < size;) {
		start = find_data(from, at, size);
		if (start > at && put_hole(o, start - at) < 0)
			return -1;
		at = find_hole(from, start, size);
		if (put_data(o, from, start, at - start) < 0)
			return -1;
	}
	return o->holes ? ftruncate(o->fd, (off_t)size) : 0;
}

void
output_check(const char *path)
{
	if (path != NULL && inputs_have(path))
		errx(EXIT_BAD, "-o %s: it is an input", text_clean(path, MOST_PATH));
}

/* Returns a new file that is to take the place of `path`, or -1: the file itself is to be written.
 * A link stays the link that somebody has made, a file with several names keeps them all, and one
 * of another user stays that user's. */
static int
open_beside(const char *path, char **temporary)
{
	struct stat st;
	int fd;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink != 1 || st.st_size == 0 ||
	    st.st_uid != geteuid() || access(path, W_OK) != 0)
		return -1;
	*temporary = memory_text("%s.XXXXXX", path);
	fd = mkostemp(*temporary, O_CLOEXEC);
	if (fd >= 0 && fchown(fd, (uid_t)-1, st.st_gid) == 0 && fchmod(fd, st.st_mode & 0777) == 0)
		return fd;
	if (fd >= 0) {
		unlink(*temporary);
		close(fd);
	}
	free(*temporary);
	*temporary = NULL;
	return -1;
}

/* Leaves nothing that is written in part. */
static void
drop(const char *path, const char *temporary)
{
	struct stat st;

	if (temporary != NULL)
		unlink(temporary);
	else if (lstat(path, &st) == 0 && S_ISREG(st.st_mode))
		unlink(path);
}

static int
write_file(const char *path, int from, uint64_t size)
{
	char *temporary = NULL;
	struct output o = { .fd = open_beside(path, &temporary) };
	struct stat st;
	int error;

	if (o.fd < 0)
		o.fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0666);
	if (o.fd < 0)
		return -1;
	o.holes = fstat(o.fd, &st) == 0 && S_ISREG(st.st_mode);
	if (put_profile(&o, from, size) == 0 && close(o.fd) == 0 &&
	    (temporary == NULL || rename(temporary, path) == 0)) {
		free(temporary);
		return 0;
	}
	error = errno;
	drop(path, temporary);
	free(temporary);
	errno = error;
	return -1;
}

/* What an older file has stays until all is written, since the disk may be full. */
void
output_write(FILE *profile, const char *path)
{
	const int from = fileno(profile);
	struct stat made;

	output_check(path);
	if (fflush(profile) != 0 || ferror(profile) != 0 || fstat(from, &made) < 0)
		err(EXIT_BAD, "memory");
	if (path == NULL) {
		const struct output o = { .fd = STDOUT_FILENO };

		if (put_profile(&o, from, (uint64_t)made.st_size) < 0)
			err(EXIT_BAD, "standard output");
	} else if (write_file(path, from, (uint64_t)made.st_size) < 0) {
		err(EXIT_BAD, "%s", text_clean(path, MOST_PATH));
	}
}
