/*
 * A file that is compressed by gzip, into memory.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <err.h>
#include <stdlib.h>
#include <zlib.h>

enum { BLOCK = 32 << 10, FIRST_SIZE = 64 << 10 };

/* Where the bytes go. */
struct inflated {
	uint8_t *data;
	size_t len, size;
};

static void
take_block(struct reader *r, z_stream *z, uint8_t *block)
{
	const uint64_t left = r->size - r->at, n = left < BLOCK ? left : BLOCK;

	if (n == 0)
		errx(EXIT_BAD, "%s: the compressed data ends early", r->name);
	reader_take(r, block, n);
	z->next_in = block;
	z->avail_in = (uInt)n;
}

static void
make_room(const struct reader *r, struct inflated *to, size_t most)
{
	if (to->len < to->size)
		return;
	if (to->size >= most)
		errx(EXIT_BAD, "%s: it has more than %zu MiB when inflated", r->name, most >> 20);
	to->size = to->size == 0 ? FIRST_SIZE : 2 * to->size;
	to->data = realloc(to->data, to->size);
	if (to->data == NULL)
		err(EXIT_BAD, "memory");
}

static int
inflate_some(z_stream *z, struct inflated *to)
{
	const size_t room = to->size - to->len;
	int ret;

	z->next_out = to->data + to->len;
	z->avail_out = (uInt)(room < BLOCK ? room : BLOCK);
	ret = inflate(z, Z_NO_FLUSH);
	to->len = (size_t)(z->next_out - to->data);
	return ret;
}

/* Returns all of the file's bytes, of which there may be `most`, a power of two. */
uint8_t *
inflate_file(struct reader *r, size_t most, size_t *len)
{
	uint8_t *block = memory_array(BLOCK, 1);
	struct inflated to = { 0 };
	z_stream z = { 0 };
	int ret;

	if (inflateInit2(&z, MAX_WBITS + 16) != Z_OK)
		errx(EXIT_BAD, "%s: zlib: %s", r->name, z.msg != NULL ? z.msg : "no memory");
	do {
		if (z.avail_in == 0)
			take_block(r, &z, block);
		make_room(r, &to, most);
		ret = inflate_some(&z, &to);
		if (ret != Z_OK && ret != Z_BUF_ERROR && ret != Z_STREAM_END)
			errx(EXIT_BAD, "%s: it is not compressed by gzip, or damaged", r->name);
	} while (ret != Z_STREAM_END);
	if (z.avail_in > 0 || r->at < r->size)
		errx(EXIT_BAD, "%s: there is something behind the compressed data", r->name);
	inflateEnd(&z);
	free(block);
	*len = to.len;
	return to.data;
}
