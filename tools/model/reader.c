/*
 * A file, read from front to back.  It may be a thousand times as long as what the file system
 * keeps of it: holes, which read as zeros, are found by lseek and need not be read.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 64 << 10 };

void
reader_open(struct reader *r, const char *name, struct timespec *when)
{
	struct stat st;

	*r =
	    (struct reader){ .name = text_clean(name, MOST_PATH), .block = memory_array(BLOCK, 1) };
	r->fd = regular_open(name, &st);
	if (r->fd < 0 && errno == ENOTSUP)
		errx(EXIT_BAD, "%s: not a regular file", r->name);
	if (r->fd < 0)
		err(EXIT_BAD, "%s", r->name);
	r->size = (uint64_t)st.st_size;
	*when = st.st_mtim;
}

void
reader_close(struct reader *r)
{
	close(r->fd);
	free(r->block);
	free(r->name);
}

static void __attribute__((noreturn)) cut_off(const struct reader *r)
{
	errx(EXIT_BAD, "%s: the file ends in the middle of a record", r->name);
}

/* Exits if the file has no more `len` bytes. */
void
reader_need(const struct reader *r, uint64_t len)
{
	if (len > r->size - r->at)
		cut_off(r);
}

static void
fill(struct reader *r)
{
	const uint64_t most = r->data_end > r->at ? r->data_end - r->at : BLOCK;
	ssize_t n;

	do
		n = pread(r->fd, r->block, most < BLOCK ? most : BLOCK, (off_t)r->at);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		err(EXIT_BAD, "%s", r->name);
	if (n == 0)
		cut_off(r); /* the file was longer when it was opened */
	r->start = r->at;
	r->have = (size_t)n;
}

void
reader_take(struct reader *r, void *to, size_t len)
{
	reader_need(r, len);
	while (len > 0) {
		size_t n;

		if (r->at - r->start >= r->have)
			fill(r);
		n = r->have - (size_t)(r->at - r->start);
		n = len < n ? len : n;
		memcpy(to, r->block + (r->at - r->start), n);
		r->at += n;
		to = (char *)to + n;
		len -= n;
	}
}

/* Passes over what is not wanted, or is a hole. */
void
reader_pass(struct reader *r, uint64_t len)
{
	reader_need(r, len);
	r->at += len;
}

/* Returns where there is data, at `at` or behind it.  A file system without holes says that all is
 * data, or that it does not know SEEK_DATA, which comes to the same. */
static uint64_t
find_data(const struct reader *r)
{
	off_t data = lseek(r->fd, (off_t)r->at, SEEK_DATA);
	struct stat st;

	if (data < 0 && errno != ENXIO)
		return r->at;
	if (data < 0 && (fstat(r->fd, &st) < 0 || (uint64_t)st.st_size < r->size))
		cut_off(r);
	return data < 0 || (uint64_t)data > r->size ? r->size : (uint64_t)data;
}

/* Returns for how many bytes the file goes on as it is here: as a hole, or with data. */
uint64_t
reader_run(struct reader *r, bool *hole)
{
	*hole = false;
	if (r->at >= r->data_end) {
		const uint64_t data = find_data(r);
		off_t end = lseek(r->fd, (off_t)data, SEEK_HOLE);

		r->data_end = end < 0 || (uint64_t)end > r->size ? r->size : (uint64_t)end;
		*hole = data > r->at;
		if (*hole)
			return data - r->at;
	}
	return r->data_end - r->at;
}
