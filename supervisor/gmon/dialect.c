/*
 * The older profil(2)s: which bin a program counter has, and what a tick does to the bin's count.
 * In 4.4BSD, illumos and AIX the buffer is the process's own memory, and the formulas differ.
 * Knows nothing of the system.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"

/* On illumos, a bin that reaches this count ends all counting. */
enum { ILLUMOS_FULL = 32767 };

/* An sprofil range with this scale and offset 0 counts each pc that no other range counts. */
enum { OVERFLOW_SCALE = 2 };

static uint64_t
scaled(uint64_t distance, uint64_t scale)
{
	return (uint64_t)((unsigned __int128)distance * scale / PROFSUP_SCALE_ONE);
}

static uint64_t
index_of(const struct dialect *d, const struct dialect_range *r, uint64_t pc)
{
	const uint64_t distance = pc - r->offset;

	/* [distance / 2] * scale / 65536; with bins of 4 bytes, distance / 4. */
	if (d->call != PROFSUP_CALL_ILLUMOS && d->call != PROFSUP_CALL_AIX)
		return scaled(distance / d->width, r->scale);
	/* distance * scale / 65536 is an offset in bytes; a bin has 2 of them. */
	return d->call == PROFSUP_CALL_AIX && r->scale == 1 ? 0 : scaled(distance, r->scale) / 2;
}

static bool
is_overflow(const struct dialect *d, const struct dialect_range *r)
{
	return d->call == PROFSUP_CALL_SPROFIL && r->offset == 0 && r->scale == OVERFLOW_SCALE;
}

/* Returns the address of the pc's bin, 0 if it has none. */
uint64_t
dialect_bin(const struct dialect *d, uint64_t pc)
{
	uint64_t overflow = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct dialect_range *r = &d->range[i];
		uint64_t index;

		if (is_overflow(d, r)) {
			overflow = r->size >= d->width ? r->buf : 0;
			continue;
		}
		if (r->scale == 0 || pc < r->offset || pc >= r->end)
			continue;
		index = index_of(d, r, pc);
		if (index < r->size / d->width)
			return r->buf + index * d->width;
	}
	return overflow;
}

/* Returns the bin's count after `ticks` more.  Sets *full if that ends all counting. */
uint32_t
dialect_count(uint64_t call, unsigned width, uint32_t count, uint64_t ticks, bool *full)
{
	if (call == PROFSUP_CALL_ILLUMOS) {
		*full = count >= ILLUMOS_FULL || ticks >= ILLUMOS_FULL - count;
		if (!*full)
			return count + (uint32_t)ticks;
		return count > ILLUMOS_FULL ? count : ILLUMOS_FULL;
	}
	*full = false;
	return width == sizeof(uint16_t) ? (uint16_t)(count + ticks) : (uint32_t)(count + ticks);
}

/* AIX's scale -1 asks for the scale at which the buffer's shorts cover the range. */
static uint64_t
fitting_scale(uint64_t text, uint64_t size)
{
	const uint64_t scale = size * PROFSUP_SCALE_ONE / text;

	if (scale == 0)
		return 1;
	return scale > UINT16_MAX ? UINT16_MAX : scale;
}

struct dialect_range
dialect_aix_range(const struct profsup_aix_range *from)
{
	struct dialect_range r = {
		.buf = from->buf,
		.size = from->bufsize > 0 ? (uint64_t)from->bufsize : 0,
		.offset = from->low,
		.end = from->high,
		.scale = (uint64_t)from->scale & UINT16_MAX,
	};

	if (from->scale == -1)
		r.scale = from->high > from->low
		              ? fitting_scale(from->high - from->low, r.size & ~1UL)
		              : 0;
	return r;
}

/* Converts ticks of our rate to ticks of the dialect's own rate; a remainder stays owed. */
uint64_t
dialect_ticks(struct dialect *d, uint64_t ticks, unsigned hz)
{
	uint64_t whole;

	if (d->hz == 0 || d->hz == hz)
		return ticks;
	d->owed += ticks * d->hz;
	whole = d->owed / hz;
	d->owed %= hz;
	return whole;
}
