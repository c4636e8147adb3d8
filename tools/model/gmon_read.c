/*
 * Reads GNU gmon files and adds them up: records of one range bin by bin, equal arcs, and all the
 * files.  Nothing in a file is believed: what it claims to hold is held against its length.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "gmon_layout.h"

#include <endian.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

/* A program has one range, or some if it called monstartup; more is a file made to take long. */
enum { MAX_RANGES = 256, BLOCK = 32 << 10, TAG_BB_COUNT = 2 };
/* MOST_ARCS: as many different arcs as profsup keeps of a program.  MANY_ARCS: how many are read
 * before they are added to the others. */
enum { MOST_ARCS = 4 << 20, MANY_ARCS = 64 << 10 };

#define GZIP_MAGIC "\x1f\x8b"

/* Checks that all files which have a build id have the same: bins and arcs of different builds are
 * of different functions.  Exits, or with `force` prints. */
static void
check_build_id(const struct reader *r, struct gmon *g, const uint8_t id[GMON_BUILD_ID], bool force)
{
	char *text = build_id_in_gmon(id);

	if (*text != '\0' && *g->build_id == '\0') {
		g->build_id = text;
		g->build_id_file = memory_text("%s", r->name);
		return;
	}
	if (*text != '\0' && strcmp(text, g->build_id) != 0) {
		if (!force)
			errx(EXIT_BAD,
			     "%s and %s: they are of different programs or builds, which can't "
			     "be added up",
			     g->build_id_file, r->name);
		note("%s and %s: they are of different programs or builds", g->build_id_file,
		     r->name);
	}
	free(text);
}

static void
read_header(struct reader *r, struct gmon *g, bool force)
{
	struct gmon_file_header head;

	if (r->size < sizeof(head))
		errx(EXIT_BAD, "%s: no gmon file: too short", r->name);
	reader_take(r, &head, sizeof(head));
	if (memcmp(&head, GZIP_MAGIC, strlen(GZIP_MAGIC)) == 0)
		errx(EXIT_BAD,
		     "%s: no gmon file, but compressed: a file of stacks is found by itself beside "
		     "its gmon file",
		     r->name);
	if (memcmp(head.cookie, GMON_MAGIC, sizeof(head.cookie)) != 0)
		errx(EXIT_BAD, "%s: no gmon file of GNU's format", r->name);
	if (le32toh(head.version) != GMON_VERSION)
		errx(EXIT_BAD, "%s: a gmon file of version %u, not 1", r->name,
		     le32toh(head.version));
	check_build_id(r, g, head.build_id, force);
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
	return range;
}

/* Checks that all files have one rate: ticks of different lengths don't add up. */
static void
check_rate(const struct reader *r, struct gmon *g, uint32_t rate)
{
	if (rate == 0)
		errx(EXIT_BAD, "%s: a rate of 0 ticks a second", r->name);
	if (g->rate != 0 && g->rate != rate)
		errx(EXIT_BAD,
		     "%s: %u ticks a second, but %u before: they can't be added up: give files of "
		     "runs with one -F (profsup-report --last takes the newest run)",
		     r->name, rate, g->rate);
	g->rate = rate;
}

static void
read_bins(struct reader *r, struct gmon_range *range)
{
	static uint16_t block[BLOCK];

	for (uint32_t i = 0; i < range->nbins;) {
		bool hole;
		const uint64_t run = reader_run(r, &hole);
		/* A bin that begins in a hole and ends behind it is read like others. */
		uint64_t n = hole ? run / sizeof(*block) : (run + 1) / sizeof(*block);

		n = n < range->nbins - i ? n : range->nbins - i;
		if (hole && n > 0) {
			reader_pass(r, n * sizeof(*block));
			i += (uint32_t)n;
			continue;
		}
		n = n == 0 ? 1 : n < BLOCK ? n : BLOCK;
		reader_take(r, block, n * sizeof(*block));
		for (uint32_t j = 0; j < n; j++, i++)
			if (block[j] != 0)
				bins_add(&range->bins, i, le16toh(block[j]));
	}
}

static void
read_hist(struct reader *r, struct gmon *g)
{
	struct gmon_hist_header head;
	uint32_t nbins;

	reader_take(r, &head, sizeof(head));
	nbins = le32toh(head.hist_size);
	check_rate(r, g, le32toh(head.prof_rate));
	if (nbins == 0)
		return;
	reader_need(r, (uint64_t)nbins * sizeof(uint16_t));
	if (le64toh(head.high_pc) <= le64toh(head.low_pc))
		errx(EXIT_BAD, "%s: a histogram that ends at %#jx, before its start %#jx", r->name,
		     (uintmax_t)le64toh(head.high_pc), (uintmax_t)le64toh(head.low_pc));
	read_bins(r, range_for(r, g, le64toh(head.low_pc), le64toh(head.high_pc), nbins));
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
	g->narcs = g->merged = n + 1;
}

static void
read_arc(struct reader *r, struct gmon *g)
{
	struct gmon_arc_record record;

	reader_take(r, &record, sizeof(record));
	if (record.count == 0)
		return;
	if (g->narcs >= 2 * g->merged + MANY_ARCS)
		merge_arcs(g);
	g->arcs = memory_grow(g->arcs, g->narcs, sizeof(*g->arcs));
	g->arcs[g->narcs++] = (struct gmon_arc){
		.from = le64toh(record.from_pc),
		.self = le64toh(record.self_pc),
		.count = le32toh(record.count),
	};
}

/* Basic-block counts, which old compilers made and nothing here can use: pairs of 64 bits. */
static void
pass_over_blocks(struct reader *r)
{
	uint32_t n;

	reader_take(r, &n, sizeof(n));
	reader_pass(r, (uint64_t)le32toh(n) * 2 * sizeof(uint64_t));
}

static void
read_records(struct reader *r, struct gmon *g)
{
	while (r->at < r->size) {
		const uint64_t at = r->at;
		uint8_t tag;

		reader_take(r, &tag, 1);
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

/* Prints. */
static void
leave_out_arcs(struct gmon *g)
{
	uint64_t calls = 0;

	if (g->narcs <= MOST_ARCS)
		return;
	for (; g->narcs > MOST_ARCS; g->narcs--)
		calls += g->arcs[g->narcs - 1].count;
	note("more than %d different arcs: %ju calls are left out", MOST_ARCS, (uintmax_t)calls);
}

static bool
is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

void
gmon_read(struct gmon *g, char *const *files, bool force)
{
	*g = (struct gmon){ .build_id = "" };
	for (; *files != NULL; files++) {
		struct timespec when;
		struct reader r;

		reader_open(&r, *files, &when);
		g->when = is_later(&when, &g->when) ? when : g->when;
		g->times = memory_grow(g->times, g->nfiles, sizeof(*g->times));
		g->times[g->nfiles++] = when;
		read_header(&r, g, force);
		read_records(&r, g);
		reader_close(&r);
	}
	for (size_t i = 0; i < g->nranges; i++)
		bins_merge(&g->ranges[i].bins);
	merge_arcs(g);
	leave_out_arcs(g);
	/* With arcs alone there is no rate, but formats need one. */
	if (g->rate == 0)
		g->rate = 100;
}

void
gmon_free(struct gmon *g)
{
	for (size_t i = 0; i < g->nranges; i++)
		free(g->ranges[i].bins.bin);
	free(g->ranges);
	free(g->arcs);
	free(g->times);
	if (g->build_id_file != NULL) {
		free((char *)g->build_id);
		free((char *)g->build_id_file);
	}
}

bool
gmon_has(const struct gmon *g, uint64_t pc)
{
	for (size_t i = 0; i < g->nranges; i++)
		if (pc >= g->ranges[i].low && pc < g->ranges[i].high)
			return true;
	return false;
}

uint64_t
gmon_bin_start(const struct gmon_range *r, uint32_t i)
{
	return r->low + (uint64_t)((unsigned __int128)(r->high - r->low) * i / r->nbins);
}
