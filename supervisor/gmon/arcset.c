/*
 * Adds up arcs as they are read, so that memory is needed only for different arcs, however many a
 * target makes us read.  The target chooses the keys, so the hash begins with a number that it does
 * not know.  Knows nothing of the system.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"

#include <stdlib.h>

/* Room for different arcs, as powers of two: at first, and at most. */
enum { FIRST_LOG2 = 8, MOST_LOG2 = 20 };
/* Bytes of room that one process always gets, whatever the others use: enough for most programs. */
enum { SURE = 1 << 20 };

static size_t
place_of(const struct arcset *s, uint64_t key)
{
	uint64_t h = secret_mix(key);

	h = (h ^ h >> 33) * 0xff51afd7ed558ccdU;
	h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53U;
	return (h ^ h >> 33) & ((1UL << s->log2) - 1);
}

/* Returns the key's place, or the free place where it belongs. */
static struct arc_count *
find(const struct arcset *s, uint64_t key)
{
	size_t i = place_of(s, key);

	while (s->place[i].key != 0 && s->place[i].key != key)
		i = (i + 1) & ((1UL << s->log2) - 1);
	return &s->place[i];
}

static size_t
bytes(unsigned log2)
{
	return sizeof(struct arc_count) << log2;
}

void
arcset_clear(struct arcset *s)
{
	if (s->place != NULL)
		arcs_hold(bytes(s->log2), 0, 0);
	free(s->place);
	*s = (struct arcset){ 0 };
}

/* Returns 0 also if the set must not grow; -1 if there is no memory. */
static int
grow(struct arcset *s)
{
	struct arcset larger = { .log2 = s->place == NULL ? FIRST_LOG2 : s->log2 + 1, .n = s->n };

	if (!arcs_hold(0, bytes(larger.log2), SURE)) {
		s->full = true;
		return 0;
	}
	larger.place = calloc(1UL << larger.log2, sizeof(*larger.place));
	if (larger.place == NULL) {
		arcs_hold(bytes(larger.log2), 0, 0);
		return -1;
	}
	for (size_t i = 0; s->place != NULL && i < 1UL << s->log2; i++)
		if (s->place[i].key != 0)
			*find(&larger, s->place[i].key) = s->place[i];
	larger.dropped = s->dropped;
	arcset_clear(s);
	*s = larger;
	return 0;
}

static bool
is_crowded(const struct arcset *s)
{
	return s->place == NULL || s->n >= 3UL << (s->log2 - 2);
}

/* `key` is not 0.  Returns -1 if there is no memory. */
int
arcset_add(struct arcset *s, uint64_t key, uint64_t count)
{
	struct arc_count *at;

	if (is_crowded(s) && !s->full && s->log2 < MOST_LOG2 + 1 && grow(s) < 0)
		return -1;
	at = find(s, key);
	if (at->key == 0 && (s->n == 1UL << MOST_LOG2 || (s->full && is_crowded(s)))) {
		s->dropped = arcs_add(s->dropped, count);
		return 0;
	}
	s->n += at->key == 0;
	at->key = key;
	at->count = arcs_add(at->count, count);
	return 0;
}

/* Moves the set's arcs, sorted, to `to`; the set is empty afterwards. */
void
arcset_take(struct arcset *s, struct arcs *to)
{
	struct arc_count *less;
	size_t n = 0;

	for (size_t i = 0; s->place != NULL && i < 1UL << s->log2; i++)
		if (s->place[i].key != 0)
			s->place[n++] = s->place[i];
	*to = (struct arcs){ .dropped = s->dropped };
	if (n == 0) {
		arcset_clear(s);
		return;
	}
	less = reallocarray(s->place, n, sizeof(*less));
	to->arc = less != NULL ? less : s->place;
	to->n = n;
	to->room = less != NULL ? n : 1UL << s->log2;
	arcs_hold(bytes(s->log2), to->room * sizeof(*less), SIZE_MAX);
	*s = (struct arcset){ 0 };
	arcs_merge(to);
}
