/*
 * The gmon.out of 4.4BSD, for BSD's gprof: a header, 16-bit bins, arcs; one histogram of one range.
 * It has no room for a count above 65,535.  If there is such a count, all are written in longer
 * ticks, and remainders are handed on from bin to bin, so that the sum is right.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include <endian.h>
#include <err.h>
#include <stdlib.h>

enum { BSD_VERSION = 0x00051879 };

struct bsd_header {
	uint64_t low, high;
	uint32_t size; /* of header and bins, bytes */
	uint32_t version;
	uint32_t rate;
	uint32_t spare[3];
} __attribute__((packed));

struct bsd_arc {
	uint64_t from, self, count;
} __attribute__((packed));

_Static_assert(sizeof(struct bsd_header) == 40 && sizeof(struct bsd_arc) == 24,
               "as 64-bit systems have them");

static uint64_t
bin_width(const struct gmon_range *r)
{
	return (r->high - r->low) % r->nbins == 0 ? (r->high - r->low) / r->nbins : 0;
}

/* Puts the ranges of all records into one, if their bins fit each other. */
static struct gmon_range
join_ranges(const struct gmon *g)
{
	struct gmon_range all = { .low = UINT64_MAX };
	uint64_t width = 1;

	for (size_t i = 0; i < g->nranges; i++) {
		const struct gmon_range *r = &g->ranges[i];

		width = bin_width(r);
		if (width == 0 || width != bin_width(&g->ranges[0]) ||
		    r->low % width != g->ranges[0].low % width)
			errx(EXIT_BAD, "bsd-gmon: no room for histograms of different scales");
		all.low = r->low < all.low ? r->low : all.low;
		all.high = r->high > all.high ? r->high : all.high;
	}
	if (all.low >= all.high)
		return (struct gmon_range){ 0 };
	if ((all.high - all.low) / width > (INT32_MAX - sizeof(struct bsd_header)) / 2)
		errx(EXIT_BAD, "bsd-gmon: no room for a histogram from %#jx to %#jx",
		     (uintmax_t)all.low, (uintmax_t)all.high);
	all.nbins = (uint32_t)((all.high - all.low) / width);
	for (size_t i = 0; i < g->nranges; i++) {
		const struct gmon_range *r = &g->ranges[i];
		const uint32_t first = (uint32_t)((r->low - all.low) / width);

		for (size_t j = 0; j < r->bins.n; j++)
			bins_add(&all.bins, first + r->bins.bin[j].index, r->bins.bin[j].ticks);
	}
	bins_merge(&all.bins);
	return all;
}

/* Whether so many ticks fit into a bin; the remainder of the bin before may add one. */
static bool
fits(uint64_t ticks, uint32_t k)
{
	return ticks / k + (k > 1) <= UINT16_MAX;
}

/* How many ticks a written tick stands for: the least divisor of the rate that is enough, so that
 * the seconds stay right. */
static uint32_t
ticks_for_one(const struct gmon_range *r, uint32_t rate)
{
	uint64_t most = 0;
	uint32_t k = rate > 0 ? rate : 1, d;

	for (size_t i = 0; i < r->bins.n; i++)
		most = r->bins.bin[i].ticks > most ? r->bins.bin[i].ticks : most;
	/* Divisors come in pairs: the large ones get smaller. */
	for (d = 1; d <= rate / d && !(rate % d == 0 && fits(most, d)); d++)
		if (rate % d == 0 && fits(most, rate / d))
			k = rate / d;
	if (d <= rate / d)
		k = d;
	if (k > 1)
		note(
		    "bsd-gmon: no room for %ju ticks in one bin: one stands for %u, at %u a second",
		    (uintmax_t)most, k, rate / k);
	return k;
}

/* Passes over bins, which have no ticks. */
static void
pass_to(FILE *out, uint64_t bin)
{
	memory_file_pass(out, sizeof(struct bsd_header) + bin * sizeof(uint16_t));
}

static void
put_bins(FILE *out, const struct gmon_range *r, uint32_t k)
{
	uint64_t over = 0, cut = 0;

	for (size_t i = 0; i < r->bins.n; i++) {
		const struct bin *b = &r->bins.bin[i];
		const uint64_t ticks = (b->ticks + over) / k;
		const uint16_t bin = htole16(ticks > UINT16_MAX ? UINT16_MAX : (uint16_t)ticks);

		over = (b->ticks + over) % k;
		cut += ticks > UINT16_MAX ? ticks - UINT16_MAX : 0;
		pass_to(out, b->index);
		fwrite(&bin, sizeof(bin), 1, out);
	}
	pass_to(out, r->nbins);
	memory_file_end(out);
	if (cut > 0)
		note("bsd-gmon: no room for %ju of the ticks: they are left out", (uintmax_t)cut);
}

static void
put_arcs(FILE *out, const struct gmon *g)
{
	for (size_t i = 0; i < g->narcs; i++) {
		struct bsd_arc arc = { htole64(g->arcs[i].from), htole64(g->arcs[i].self),
			               htole64(g->arcs[i].count) };

		fwrite(&arc, sizeof(arc), 1, out);
	}
}

void
bsd_gmon_write(const struct model *m, FILE *out)
{
	/* A histogram of one range is written as it is, whatever its scale. */
	const struct gmon_range r =
	    m->gmon->nranges == 1 ? m->gmon->ranges[0] : join_ranges(m->gmon);
	const uint32_t k = ticks_for_one(&r, m->gmon->rate);
	struct bsd_header head = {
		.low = htole64(r.low),
		.high = htole64(r.high),
		.size = htole32((uint32_t)(sizeof(head) + r.nbins * sizeof(uint16_t))),
		.version = htole32(BSD_VERSION),
		.rate = htole32(m->gmon->rate / k),
	};

	if (r.nbins > (INT32_MAX - sizeof(head)) / 2)
		errx(EXIT_BAD, "bsd-gmon: no room for %u bins", r.nbins);
	fwrite(&head, sizeof(head), 1, out);
	put_bins(out, &r, k);
	put_arcs(out, m->gmon);
	if (m->gmon->nranges != 1)
		free(r.bins.bin);
}
