/*
 * Reads the runtime's arc tables out of a target's memory.  The target may have written anything
 * there: what is read is bounded by what its text can account for, and a table that changes
 * meanwhile is only a wrong profile of its own.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <errno.h>

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

/* Every table's arcs. */
static int
take_all(struct arc_area *area, struct arcset *set)
{
	set->dropped = area->head[offsetof(struct profsup_arcs, dropped) / 8];
	if (area->head[offsetof(struct profsup_arcs, shared_used) / 8] != 0 &&
	    take_arcs(area, 0, area->shared, set) < 0)
		return -1;
	return take_arcs(area, area->shared, area->shared + places_used(area), set);
}

/* The arcs of a table and of those that its thread had before it, each smaller than the next. */
static int
take_tables(struct arc_area *area, uint64_t where, struct arcset *set)
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
		    take_arcs(area, first, first + size, set) < 0)
			return -1;
		where = head.older;
	}
	return 0;
}

/* The arcs of the tables of one thread pointer. */
static int
take_thread(struct arc_area *area, uint64_t tp, struct arcset *set)
{
	struct profsup_thread_slot slot[PROFSUP_THREAD_SLOTS];

	if (mem_read(area->proc, area->tid, area->pool_addr - sizeof(slot), slot, sizeof(slot)) < 0)
		return -1;
	for (unsigned i = 0; i < PROFSUP_THREAD_SLOTS; i++)
		if (slot[i].thread_pointer == tp) /* there is one at the most */
			return take_tables(area, slot[i].where, set);
	return 0;
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
	if (arctable_read_thread(proc, tid, p->vfork_tp, &fresh) < 0)
		return -1;
	arcs_clear(&p->arcs);
	p->arcs = fresh;
	return 0;
}
