/*
 * Reads the runtime's arc tables out of a target's memory.  The target may have written anything
 * there: what is read is bounded by what its text can account for, and a table that changes
 * meanwhile is only a wrong profile of its own.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <errno.h>
#include <stdlib.h>

/* Arcs are read this many at a time. */
enum { ARCS_CHUNK = 4096 };
/* And no more than so many at once: a program has a thousandth of that, and its kernel can show us
 * one page over and over. */
enum { MOST_PLACES = 16 << 20 };

/* The runtime reserves no more than this for `text` bytes of code. */
static uint64_t
most_bytes(uint64_t text)
{
	return (16UL << 20) + 4 * text;
}

/* The part of the arc area that tells what the rest holds, and whose it is. */
struct arc_area {
	struct proc *proc;
	pid_t tid; /* has the memory */
	uint64_t head[8];
	uint64_t pool_addr;
	uint64_t places;
	uint64_t shared;
	uint64_t budget; /* places that may still be read */
};

static int
find_arcs(struct proc *proc, pid_t tid, struct arc_area *area)
{
	const struct profile *p = proc->profile;
	const uint64_t most = most_bytes(proc->elf.text_size);
	const uint64_t buflen = p->buflen < most ? p->buflen : most;
	const uint64_t off = p->arcs_off;
	const uint64_t addr = p->buf_addr + off;

	if (off > buflen || buflen - off < sizeof(struct profsup_arcs)) {
		errno = ENODATA;
		return -1;
	}
	area->proc = proc;
	area->tid = tid;
	area->pool_addr = addr + offsetof(struct profsup_arcs, pool);
	area->places =
	    (buflen - off - offsetof(struct profsup_arcs, pool)) / sizeof(struct profsup_arc);
	area->shared = area->places / 4;
	area->budget = MOST_PLACES;
	return mem_read(proc, tid, addr, area->head, sizeof(area->head));
}

/* Adds the arcs that places [from, to) hold. */
static int
take_arcs(struct arc_area *area, uint64_t from, uint64_t to, struct arcset *set)
{
	struct profsup_arc chunk[ARCS_CHUNK];

	if (to - from > area->budget)
		to = from + area->budget;
	area->budget -= to - from;
	while (from < to) {
		size_t n = to - from < ARCS_CHUNK ? (size_t)(to - from) : ARCS_CHUNK;

		if (mem_read(area->proc, area->tid, area->pool_addr + from * sizeof(chunk[0]),
		             chunk, n * sizeof(chunk[0])) < 0)
			return -1;
		for (size_t i = 0; i < n; i++) {
			uint64_t key = (uint64_t)chunk[i].from << 32 | chunk[i].self;

			if (chunk[i].self != 0 && chunk[i].count != 0 &&
			    arcset_add(set, key, chunk[i].count) < 0)
				return -1;
		}
		from += n;
	}
	return 0;
}

static uint64_t
places_used(const struct arc_area *area)
{
	const uint64_t used = area->head[offsetof(struct profsup_arcs, used) / 8];

	return used < area->places - area->shared ? used : area->places - area->shared;
}

/* Places [from, to). */
struct span {
	uint64_t from, to;
};

struct spans {
	struct span *span;
	size_t n;
};

static int
add_span(struct spans *spans, uint64_t from, uint64_t to)
{
	struct span *span = reallocarray(spans->span, spans->n + 1, sizeof(*span));

	if (span == NULL)
		return -1;
	spans->span = span;
	span[spans->n++] = (struct span){ from, to };
	return 0;
}

/* A table and those that its thread had before it, each smaller than the next. */
static int
add_tables(const struct arc_area *area, uint64_t where, struct spans *tables)
{
	unsigned larger = 64;

	while (where != 0) {
		const uint64_t first = where >> 8;
		const unsigned log2 = where & 0xff;
		struct profsup_table_head head;
		uint64_t size;

		if (log2 >= larger || log2 > 40)
			return 0;
		larger = log2;
		size = (1UL << log2) + PROFSUP_TABLE_PAD;
		if (first <= area->shared || first > area->places || size > area->places - first)
			return 0;
		if (mem_read(area->proc, area->tid, area->pool_addr + (first - 1) * sizeof(head),
		             &head, sizeof(head)) < 0 ||
		    add_span(tables, first, first + size) < 0)
			return -1;
		where = head.older;
	}
	return 0;
}

/* The tables of one thread pointer. */
static int
find_tables(const struct arc_area *area, uint64_t tp, struct spans *tables)
{
	struct profsup_thread_slot slot[PROFSUP_THREAD_SLOTS];

	if (mem_read(area->proc, area->tid, area->pool_addr - sizeof(slot), slot, sizeof(slot)) < 0)
		return -1;
	for (unsigned i = 0; i < PROFSUP_THREAD_SLOTS; i++)
		if (slot[i].thread_pointer == tp) /* there is one at the most */
			return add_tables(area, slot[i].where, tables);
	return 0;
}

static int
take_thread(struct arc_area *area, uint64_t tp, struct arcset *set)
{
	struct spans tables = { 0 };
	int ret = find_tables(area, tp, &tables);

	for (size_t i = 0; i < tables.n && ret == 0; i++)
		ret = take_arcs(area, tables.span[i].from, tables.span[i].to, set);
	free(tables.span);
	return ret;
}

static int
by_place(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return (x->from > y->from) - (x->from < y->from);
}

/* What lies between the spans. */
static int
take_between(struct arc_area *area, uint64_t at, uint64_t end, struct spans *skip,
             struct arcset *set)
{
	if (skip->n > 1)
		qsort(skip->span, skip->n, sizeof(skip->span[0]), by_place);
	for (size_t i = 0; i < skip->n && skip->span[i].from < end; i++) {
		if (skip->span[i].from > at && take_arcs(area, at, skip->span[i].from, set) < 0)
			return -1;
		if (skip->span[i].to > at)
			at = skip->span[i].to;
	}
	return at < end ? take_arcs(area, at, end, set) : 0;
}

static int
take_frozen(const struct frozen *f, struct arcset *set)
{
	for (size_t i = 0; i < f->arcs.n; i++)
		if (arcset_add(set, f->arcs.arc[i].key, f->arcs.arc[i].count) < 0)
			return -1;
	return 0;
}

/* Every table's arcs; of those that a vfork's child writes to while its creator waits, as they
 * were. */
static int
take_all(struct arc_area *area, struct arcset *set)
{
	struct spans skip = { 0 };
	int ret = 0;

	set->dropped = area->head[offsetof(struct profsup_arcs, dropped) / 8];
	if (area->head[offsetof(struct profsup_arcs, shared_used) / 8] != 0)
		ret = take_arcs(area, 0, area->shared, set);
	for (const struct frozen *f = area->proc->frozen; f != NULL && ret == 0; f = f->next)
		if ((ret = find_tables(area, f->tp, &skip)) == 0)
			ret = take_frozen(f, set);
	if (ret == 0)
		ret =
		    take_between(area, area->shared, area->shared + places_used(area), &skip, set);
	free(skip.span);
	return ret;
}

/* The arcs as they stand now: those of one thread pointer, or, of 0, all. */
int
arctable_read_thread(struct proc *proc, pid_t tid, uint64_t tp, struct arcs *arcs)
{
	struct arcset set = { 0 };
	struct arc_area area;

	*arcs = (struct arcs){ 0 };
	if (find_arcs(proc, tid, &area) < 0 ||
	    (tp != 0 ? take_thread(&area, tp, &set) : take_all(&area, &set)) < 0) {
		arcset_clear(&set);
		return -1;
	}
	arcset_take(&set, arcs);
	return 0;
}

/*
 * Take the arcs as they stand now.  If that fails, what was read before stays.  A process that
 * shares another's memory has none of its own, except the child of a vfork.
 */
int
arctable_read(struct proc *proc, pid_t tid)
{
	struct profile *p = proc->profile;
	struct arcs fresh;

	if (proc->shares_memory && p->vfork_tp == 0)
		return 0;
	if (proc->shares_memory && proc->frozen != NULL) { /* its own vfork's child uses them */
		if (arcs_copy(&fresh, &proc->frozen->arcs) < 0)
			return -1;
	} else if (arctable_read_thread(proc, tid, p->vfork_tp, &fresh) < 0) {
		return -1;
	}
	arcs_clear(&p->arcs);
	p->arcs = fresh;
	return 0;
}
