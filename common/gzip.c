/*
 * Compression by gzip, block by block.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gzip.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* What comes behind so many bytes, a multiple of BLOCK, is compressed less, so that a long file
 * does not take half a minute. */
enum { BLOCK = 64 << 10, WELL_COMPRESSED = 16 << 20 };

struct gzip {
	FILE *out;
	z_stream z;
	bool failed;
	size_t len; /* of `block` */
	uint8_t block[BLOCK], packed[32 << 10];
};

struct gzip *
gzip_begin(FILE *out)
{
	struct gzip *g = malloc(sizeof(*g));

	if (g == NULL)
		return NULL;
	g->out = out;
	g->z = (z_stream){ 0 };
	g->failed = false;
	g->len = 0;
	if (deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8,
	                 Z_DEFAULT_STRATEGY) == Z_OK)
		return g;
	free(g);
	errno = ENOMEM;
	return NULL;
}

/* `flush`: Z_BLOCK if what follows is to be compressed less, which zlib can do when it has put out
 * all that it was given. */
static void
compress_block(struct gzip *g, int flush)
{
	g->z.next_in = g->block;
	g->z.avail_in = (uInt)g->len;
	do {
		size_t n;

		g->z.next_out = g->packed;
		g->z.avail_out = sizeof(g->packed);
		deflate(&g->z, flush);
		if (flush == Z_BLOCK && g->z.avail_out > 0)
			deflateParams(&g->z, Z_BEST_SPEED, Z_DEFAULT_STRATEGY);
		n = sizeof(g->packed) - g->z.avail_out;
		g->failed |= fwrite(g->packed, 1, n, g->out) != n;
	} while (g->z.avail_out == 0);
	g->len = 0;
}

void
gzip_put(struct gzip *g, const void *data, size_t len)
{
	for (size_t n; len > 0; len -= n) {
		n = len < BLOCK - g->len ? len : BLOCK - g->len;
		memcpy(g->block + g->len, data, n);
		data = (const uint8_t *)data + n;
		g->len += n;
		if (g->len == BLOCK)
			compress_block(g, g->z.total_in + BLOCK == WELL_COMPRESSED ? Z_BLOCK
			                                                           : Z_NO_FLUSH);
	}
}

int
gzip_end(struct gzip *g)
{
	bool failed;

	compress_block(g, Z_FINISH);
	deflateEnd(&g->z);
	failed = g->failed;
	free(g);
	return failed ? -1 : 0;
}
