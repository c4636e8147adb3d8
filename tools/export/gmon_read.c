/*
 * Reads GNU gmon files and adds them up: records of one range bin by bin, equal arcs, and all the
 * files.  Nothing in a file is believed: what it claims to hold is held against its length.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include "gmon_layout.h"

#include <endian.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A program has one range, or some if it called monstartup; more is a file made to take long. */
enum { MAX_RANGES = 256, BLOCK = 32 << 10, TAG_BB_COUNT = 2 };

struct reader {
	const char *name;
	FILE *file;
	uint64_t left; /* bytes */
};

static void __attribute__((noreturn)) cut_off(const struct reader *r)
{
	errx(EXIT_BAD, "%s: the file ends in the middle of a record", r->name);
}

static void
take(struct reader *r, void *to, size_t len)
{
	if (len > r->left)
		cut_off(r);
	if (fread(to, 1, len, r->file) == len)
		r->left -= len;
	else if (ferror(r->file))
		err(EXIT_BAD, "%s", r->name);
	else
		cut_off(r);
}

static void
open_file(struct reader *r, struct gmon *g, const char *name)
{
	struct stat st;
	int fd;

	r->name = name;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0)
		err(EXIT_BAD, "%s", name);
	if (!S_ISREG(st.st_mode))
		errx(EXIT_BAD, "%s: not a regular file", name);
	r->file = fdopen(fd, "r");
	if (r->file == NULL)
		err(EXIT_BAD, "%s", name);
	r->left = (uint64_t)st.st_size;
	if (st.st_mtim.tv_sec > g->when.tv_sec ||
	    (st.st_mtim.tv_sec == g->when.tv_sec && st.st_mtim.tv_nsec > g->when.tv_nsec))
		g->when = st.st_mtim;
}

static void
read_header(struct reader *r)
{
	struct gmon_file_header head;

	if (r->left < sizeof(head))
		errx(EXIT_BAD, "%s: no gmon file: too short", r->name);
	take(r, &head, sizeof(head));
	if (memcmp(head.cookie, GMON_MAGIC, sizeof(head.cookie)) != 0)
		errx(EXIT_BAD, "%s: no gmon file of GNU's format", r->name);
	if (le32toh(head.version) != GMON_VERSION)
		errx(EXIT_BAD, "%s: a gmon file of version %u, not 1", r->name,
		     le32toh(head.version));
}

static struct gmon_range *
range_for(const struct reader *r, struct gmon *g, uint64_t low, uint64_t high, uint32_t nbins)
{
	struct gmon_range *range;

	for (size_t i = 0; i < g->nranges; i++)
		if (g->ranges[i].low == low && g->ranges[i].high == high &&
		    g->ranges[i].nbins == nbins)
			return &g->ranges[i];
	if (g->nranges == MAX_RANGES)
		errx(EXIT_BAD, "%s: more than %d ranges of addresses", r->name, MAX_RANGES);
	g->ranges = memory_grow(g->ranges, g->nranges, sizeof(*g->ranges));
	range = &g->ranges[g->nranges++];
	*range = (struct gmon_range){ .low = low, .high = high, .nbins = nbins };
	range->bins = memory_array(nbins, sizeof(*range->bins));
	return range;
}

/* One rate for all: ticks of different lengths don't add up. */
static void
check_rate(const struct reader *r, struct gmon *g, uint32_t rate)
{
	if (rate == 0)
		errx(EXIT_BAD, "%s: a rate of 0 ticks a second", r->name);
	if (g->rate != 0 && g->rate != rate)
		errx(EXIT_BAD, "%s: %u ticks a second, but %u before: they can't be added up",
		     r->name, rate, g->rate);
	g->rate = rate;
}

/* Pages of the sum that stay zero are never touched: a histogram is mostly zeros. */
static void
read_hist(struct reader *r, struct gmon *g)
{
	struct gmon_hist_header head;
	struct gmon_range *range;
	static uint16_t block[BLOCK];
	uint32_t nbins;

	take(r, &head, sizeof(head));
	nbins = le32toh(head.hist_size);
	check_rate(r, g, le32toh(head.prof_rate));
	if (nbins == 0)
		return;
	if ((uint64_t)nbins * sizeof(uint16_t) > r->left)
		cut_off(r);
	if (le64toh(head.high_pc) <= le64toh(head.low_pc))
		errx(EXIT_BAD, "%s: a histogram that ends at %#jx, before its start %#jx", r->name,
		     (uintmax_t)le64toh(head.high_pc), (uintmax_t)le64toh(head.low_pc));
	range = range_for(r, g, le64toh(head.low_pc), le64toh(head.high_pc), nbins);
	for (uint32_t i = 0; i < nbins;) {
		uint32_t n = nbins - i < BLOCK ? nbins - i : BLOCK;

		take(r, block, n * sizeof(*block));
		for (uint32_t j = 0; j < n; j++, i++)
			if (block[j] != 0)
				range->bins[i] += le16toh(block[j]);
	}
}

static void
read_arc(struct reader *r, struct gmon *g)
{
	struct gmon_arc_record record;

	take(r, &record, sizeof(record));
	if (record.count == 0)
		return;
	g->arcs = memory_grow(g->arcs, g->narcs, sizeof(*g->arcs));
	g->arcs[g->narcs++] = (struct gmon_arc){
		.from = le64toh(record.from_pc),
		.self = le64toh(record.self_pc),
		.count = le32toh(record.count),
	};
}

/* Basic-block counts, which old compilers made and nothing here can use. */
static void
pass_over_blocks(struct reader *r)
{
	uint32_t n;
	uint64_t pair[2];

	take(r, &n, sizeof(n));
	for (n = le32toh(n); n > 0; n--)
		take(r, pair, sizeof(pair));
}

static void
read_records(struct reader *r, struct gmon *g)
{
	uint64_t length = r->left;

	while (r->left > 0) {
		uint64_t at = length - r->left + sizeof(struct gmon_file_header);
		uint8_t tag;

		take(r, &tag, 1);
		if (tag == GMON_TAG_TIME_HIST)
			read_hist(r, g);
		else if (tag == GMON_TAG_CG_ARC)
			read_arc(r, g);
		else if (tag == TAG_BB_COUNT)
			pass_over_blocks(r);
		else
			errx(EXIT_BAD, "%s: unknown record %u at byte %ju", r->name, tag,
			     (uintmax_t)at);
	}
}

static int
compare_arcs(const void *a, const void *b)
{
	const struct gmon_arc *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->self < y->self ? -1 : x->self > y->self;
}

static void
merge_arcs(struct gmon *g)
{
	size_t n = 0;

	if (g->narcs == 0)
		return;
	qsort(g->arcs, g->narcs, sizeof(*g->arcs), compare_arcs);
	for (size_t i = 1; i < g->narcs; i++)
		if (compare_arcs(&g->arcs[i], &g->arcs[n]) == 0)
			g->arcs[n].count += g->arcs[i].count;
		else
			g->arcs[++n] = g->arcs[i];
	g->narcs = n + 1;
}

void
gmon_read(struct gmon *g, char *const *files)
{
	struct reader r = { 0 };

	*g = (struct gmon){ 0 };
	for (; *files != NULL; files++) {
		open_file(&r, g, *files);
		read_header(&r);
		read_records(&r, g);
		fclose(r.file);
	}
	merge_arcs(g);
	/* Arcs alone: a rate is asked for all the same. */
	if (g->rate == 0)
		g->rate = 100;
}

uint64_t
gmon_bin_start(const struct gmon_range *r, uint32_t i)
{
	return r->low + (uint64_t)((unsigned __int128)(r->high - r->low) * i / r->nbins);
}
