/*
 * A profile as the bytes of a gmon file, in GNU's format.  Pure.
 *
 * Counts wider than the format's are split: a bin above 65,535 and an arc above 2^32 - 1 stand in
 * several records, which gprof adds up.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"

#include "gmon_layout.h"

#include <string.h>

static void
put_tagged(struct buffer *b, uint8_t tag, const void *data, size_t len)
{
	buffer_put(b, &tag, 1);
	buffer_put(b, data, len);
}

/* One histogram record: each bin's ticks from layer * 65,535 on, as many as 16 bits hold. */
static void
put_layer(struct buffer *b, const struct counts *p, unsigned hz, uint64_t layer)
{
	const struct hist *h = &p->hist;
	const uint64_t before = layer * UINT16_MAX;
	struct gmon_hist_header head = {
		.low_pc = h->offset - p->bias,
		.high_pc = h->offset - p->bias + hist_span(h, h->nbins),
		.hist_size = (uint32_t)h->nbins,
		.prof_rate = hz,
		.dimen = "seconds",
		.dimen_abbrev = 's',
	};

	put_tagged(b, GMON_TAG_TIME_HIST, &head, sizeof(head));
	for (const struct hist_bin *bin = h->bins; bin != NULL; bin = bin->hh.next) {
		uint64_t ticks = bin->ticks > before ? bin->ticks - before : 0;
		uint16_t part = ticks > UINT16_MAX ? UINT16_MAX : (uint16_t)ticks;

		if (part != 0)
			buffer_put_at(b, b->len + bin->index * sizeof(part), &part, sizeof(part));
	}
	b->len += h->nbins * sizeof(uint16_t);
}

static uint64_t
layers(const struct hist *h)
{
	uint64_t most = 0;

	for (const struct hist_bin *bin = h->bins; bin != NULL; bin = bin->hh.next)
		if (bin->ticks > most)
			most = bin->ticks;
	return most == 0 ? 1 : (most - 1) / UINT16_MAX + 1;
}

/* Returns the link-time address whose low half is `low`; 0 if it is outside of the text. */
static uint64_t
address_of(const struct counts *p, uint32_t low)
{
	uint64_t pc = p->low_pc + (uint32_t)(low - (uint32_t)p->low_pc);

	return low == 0 || pc >= p->high_pc ? 0 : pc - p->bias;
}

/* MOST_PIECES limits the records of one arc: a count above 2^44, which no program reaches, is cut
 * there.  MOST_EXTRA limits the second and further records of all arcs in a file. */
enum { MOST_PIECES = 1 << 12, MOST_EXTRA = 1 << 16 };

static uint64_t
pieces(uint64_t count, uint64_t most)
{
	uint64_t n = count == 0 ? 0 : (count - 1) / UINT32_MAX + 1;

	return n < most ? n : most;
}

/* How many records an arc of this profile may have: only one if the counts must be forged. */
static uint64_t
most_pieces(const struct arcs *arcs)
{
	uint64_t extra = 0;

	for (size_t i = 0; i < arcs->n; i++)
		if (arcs->arc[i].count != 0)
			extra += pieces(arcs->arc[i].count, MOST_PIECES) - 1;
	return extra <= MOST_EXTRA ? MOST_PIECES : 1;
}

/* A return address may already be in the next function; one byte before it is in the call. */
static void
put_arc(struct buffer *b, const struct counts *p, const struct arc_count *arc, uint64_t most)
{
	uint64_t from = address_of(p, (uint32_t)(arc->key >> 32));
	struct gmon_arc_record record = {
		.from_pc = from == 0 ? 0 : from - 1,
		.self_pc = address_of(p, (uint32_t)arc->key),
	};

	if (record.self_pc == 0)
		return; /* no function of this image */
	for (uint64_t left = arc->count, n = pieces(left, most); n > 0; n--, left -= record.count) {
		record.count = left > UINT32_MAX ? UINT32_MAX : (uint32_t)left;
		put_tagged(b, GMON_TAG_CG_ARC, &record, sizeof(record));
	}
}

/* The most bytes that the file can take, holes included; 0 if that is absurd. */
static size_t
size_of(const struct counts *p, uint64_t nlayers, uint64_t most)
{
	const unsigned __int128 absurd = (unsigned __int128)1 << 36;
	unsigned __int128 size = sizeof(struct gmon_file_header);

	size += (unsigned __int128)nlayers *
	        (1 + sizeof(struct gmon_hist_header) + p->hist.nbins * sizeof(uint16_t));
	for (size_t i = 0; i < p->arcs.n && size < absurd; i++)
		size += (unsigned __int128)pieces(p->arcs.arc[i].count, most) *
		        (1 + sizeof(struct gmon_arc_record));
	return size < absurd ? (size_t)size : 0;
}

/* Says in the first histogram record of which run the file is. */
void
gmon_mark(struct buffer *b, uint64_t run)
{
	const size_t head = sizeof(struct gmon_file_header) + 1;

	buffer_put_at(b, head + offsetof(struct gmon_hist_header, run), &run, GMON_RUN);
}

/* Makes the bytes of the file of a profile of that program.  -1: no memory. */
int
gmon_encode(const struct counts *p, const struct image_id *image, unsigned hz, struct buffer *out)
{
	const uint64_t nlayers = layers(&p->hist);
	const uint64_t most = most_pieces(&p->arcs);
	const size_t size = size_of(p, nlayers, most);
	struct gmon_file_header head = { .cookie = GMON_MAGIC, .version = GMON_VERSION };

	*out = (struct buffer){ 0 };
	if (size == 0 || buffer_new(out, size) < 0)
		return -1;
	memcpy(head.build_id, image->build_id, sizeof(head.build_id));
	buffer_put(out, &head, sizeof(head));
	for (uint64_t layer = 0; layer < nlayers; layer++)
		put_layer(out, p, hz, layer);
	for (size_t i = 0; i < p->arcs.n; i++)
		put_arc(out, p, &p->arcs.arc[i], most);
	return 0;
}
