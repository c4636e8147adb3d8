/*
 * pprof_write.c and gzip.c: what is written is whole, however long it is, or that is said.  What
 * the messages mean is tested where others read them (tests/export/pprof.t, tests/run/stacks.t).
 *
 * SPDX-License-Identifier: ISC
 */
#include "pprof_write.h"

#include "tap.h"

#include <zlib.h>

/* Longer than what is compressed well. */
enum { TEXT = 1 << 20, TEXTS = 40 };

struct written {
	char *data;
	size_t len;
};

/* Returns how long the file is when inflated; -1: it is not whole. */
static int64_t
inflated(const struct written *w, uint8_t *room, size_t size)
{
	z_stream z = { .next_in = (Bytef *)w->data, .avail_in = (uInt)w->len };
	int ret;

	z.next_out = room;
	z.avail_out = (uInt)size;
	if (inflateInit2(&z, MAX_WBITS + 16) != Z_OK)
		bail("zlib");
	ret = inflate(&z, Z_FINISH);
	inflateEnd(&z);
	return ret == Z_STREAM_END && z.avail_in == 0 ? (int64_t)z.total_out : -1;
}

static void
test_long(void)
{
	const size_t field = 1 + 3 + TEXT - 1, size = 2 + TEXTS * field;
	char *text = malloc(TEXT);
	uint8_t *room = malloc(size + 1);
	struct written w = { 0 };
	FILE *out = open_memstream(&w.data, &w.len);
	struct pprof_file *f = out == NULL ? NULL : pprof_begin(out);
	bool same = true;

	if (text == NULL || room == NULL || f == NULL)
		bail("memory");
	for (size_t i = 0; i < TEXT - 1; i++)
		text[i] = (char)('a' + (i * i >> 7) % 26);
	text[TEXT - 1] = '\0';
	for (size_t i = 0; i < TEXTS; i++)
		same &= pprof_put_text(f, text) == i + 1;
	ok(same, "texts are numbered as they come, behind the empty one");
	is_int(pprof_end(f), 0, "a long file is written");
	fclose(out);
	is_int(inflated(&w, room, size + 1), (int64_t)size, "all of it");
	for (size_t i = 0; i < TEXTS; i++)
		same &= memcmp(room + 2 + i * field + 4, text, TEXT - 1) == 0;
	ok(same, "as it was");
	free(w.data);
	free(room);
	free(text);
}

/* Returns what pprof_end() does of a file with a stack of `n` frames, whose numbers are long. */
static int
end_with_stack(size_t n)
{
	static uint64_t locations[4096];
	struct written w = { 0 };
	FILE *out = open_memstream(&w.data, &w.len);
	struct pprof_file *f = out == NULL ? NULL : pprof_begin(out);
	int ret;

	if (f == NULL)
		bail("memory");
	for (size_t i = 0; i < n; i++)
		locations[i] = UINT64_MAX;
	pprof_put_sample(f, &(struct pprof_sample){ .locations = locations, .nlocations = n });
	errno = 0;
	ret = pprof_end(f);
	fclose(out);
	free(w.data);
	return ret;
}

static void
test_bounds(void)
{
	FILE *full = fopen("/dev/full", "w");
	struct pprof_file *f;

	is_int(end_with_stack(512), 0, "a stack of 512 frames has room");
	is_int(end_with_stack(4096), -1, "a longer message than there is room for is an error");
	is_int(errno, EMSGSIZE, "which says so");
	if (full == NULL || (f = pprof_begin(full)) == NULL)
		bail("/dev/full");
	setbuf(full, NULL);
	is_int(pprof_end(f), -1, "so is a file that has no room");
	is_int(errno, ENOSPC, "with what was wrong there");
	fclose(full);
}

int
main(void)
{
	test_long();
	test_bounds();
	return done_testing();
}
