/*
 * The bytes of a file that is mostly zeros: only blocks that were written to take memory, and only
 * they have to be looked at.  Knows nothing of the contents.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* BLOCK is how many bytes one bit of `touched` stands for: a file system's block, or a part. */
enum { BLOCK = 4096, WORD_BITS = 64 };

int
buffer_new(struct buffer *b, size_t size)
{
	*b = (struct buffer){ .size = size };
	b->touched = calloc(size / BLOCK / WORD_BITS + 1, sizeof(*b->touched));
	if (b->touched == NULL)
		return -1;
	b->data = mmap(NULL, size, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (b->data != MAP_FAILED)
		return 0;
	free(b->touched);
	*b = (struct buffer){ 0 };
	return -1;
}

/* The caller made the buffer large enough for all that it puts there. */
void
buffer_put_at(struct buffer *b, size_t at, const void *data, size_t len)
{
	if (len == 0)
		return;
	memcpy(b->data + at, data, len);
	for (size_t block = at / BLOCK; block <= (at + len - 1) / BLOCK; block++)
		b->touched[block / WORD_BITS] |= 1UL << block % WORD_BITS;
}

void
buffer_put(struct buffer *b, const void *data, size_t len)
{
	buffer_put_at(b, b->len, data, len);
	b->len += len;
}

static bool
is_touched(const struct buffer *b, size_t at)
{
	const size_t block = at / BLOCK;

	return (b->touched[block / WORD_BITS] >> block % WORD_BITS & 1) != 0;
}

/* Moves *at, a multiple of BLOCK, on to the first block that may hold something other than zeros.
 * Returns how many bytes there are up to one that does not, or the end; 0 if there is none. */
size_t
buffer_next(const struct buffer *b, size_t *at)
{
	size_t end;

	while (*at < b->len && !is_touched(b, *at))
		*at += BLOCK;
	for (end = *at; end < b->len && is_touched(b, end); end += BLOCK)
		;
	return *at >= b->len ? 0 : (end < b->len ? end : b->len) - *at;
}

void
buffer_free(struct buffer *b)
{
	if (b->data != NULL)
		munmap(b->data, b->size);
	free(b->touched);
	*b = (struct buffer){ 0 };
}
