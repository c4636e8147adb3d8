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

/* The runtime reserves no more than this for `text` bytes of code. */
static uint64_t
most_bytes(uint64_t text)
{
	return (16UL << 20) + 4 * text;
}

/* The part of the arc area that tells what the rest holds. */
struct arc_area {
	uint64_t head[8];
	uint64_t pool_addr;
	uint64_t places;
	uint64_t shared;
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
	area->pool_addr = addr + offsetof(struct profsup_arcs, pool);
	area->places =
	    (buflen - off - offsetof(struct profsup_arcs, pool)) / sizeof(struct profsup_arc);
	area->shared = area->places / 4;
	return mem_read(proc, tid, addr, area->head, sizeof(area->head));
}

/* Appends the arcs that places [from, to) hold. */
static int
take_arcs(struct proc *proc, pid_t tid, const struct arc_area *area, uint64_t from, uint64_t to,
          struct arcs *arcs)
{
	struct profsup_arc chunk[ARCS_CHUNK];

	while (from < to) {
		size_t n = to - from < ARCS_CHUNK ? (size_t)(to - from) : ARCS_CHUNK;
		struct arc_count *more;

		if (mem_read(proc, tid, area->pool_addr + from * sizeof(chunk[0]), chunk,
		             n * sizeof(chunk[0])) < 0)
			return -1;
		more = reallocarray(arcs->arc, arcs->n + n, sizeof(*more));
		if (more == NULL)
			return -1;
		arcs->arc = more;
		for (size_t i = 0; i < n; i++) {
			uint64_t key = (uint64_t)chunk[i].from << 32 | chunk[i].self;

			if (chunk[i].self != 0 && chunk[i].count != 0)
				arcs->arc[arcs->n++] = (struct arc_count){ key, chunk[i].count };
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
take_all(struct proc *proc, pid_t tid, const struct arc_area *area, struct arcs *arcs)
{
	if (area->head[offsetof(struct profsup_arcs, shared_used) / 8] != 0 &&
	    take_arcs(proc, tid, area, 0, area->shared, arcs) < 0)
		return -1;
	return take_arcs(proc, tid, area, area->shared, area->shared + places_used(area), arcs);
}

/* The arcs of a table and of those that its thread had before it, each smaller than the next. */
static int
take_tables(struct proc *proc, pid_t tid, const struct arc_area *area, uint64_t where,
            struct arcs *arcs)
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
		if (mem_read(proc, tid, area->pool_addr + (first - 1) * sizeof(head), &head,
		             sizeof(head)) < 0 ||
		    take_arcs(proc, tid, area, first, first + size, arcs) < 0)
			return -1;
		where = head.older;
	}
	return 0;
}

/* The arcs of the tables of one thread pointer. */
static int
take_thread(struct proc *proc, pid_t tid, const struct arc_area *area, uint64_t tp,
            struct arcs *arcs)
{
	struct profsup_thread_slot slot[PROFSUP_THREAD_SLOTS];

	if (mem_read(proc, tid, area->pool_addr - sizeof(slot), slot, sizeof(slot)) < 0)
		return -1;
	for (unsigned i = 0; i < PROFSUP_THREAD_SLOTS; i++)
		if (slot[i].thread_pointer == tp) /* there is one at the most */
			return take_tables(proc, tid, area, slot[i].where, arcs);
	return 0;
}

/* The arcs of one thread pointer as they stand now. */
int
arctable_read_thread(struct proc *proc, pid_t tid, uint64_t tp, struct arcs *arcs)
{
	struct arc_area area;

	*arcs = (struct arcs){ 0 };
	if (find_arcs(proc, tid, &area) < 0 || take_thread(proc, tid, &area, tp, arcs) < 0) {
		arcs_clear(arcs);
		return -1;
	}
	arcs_merge(arcs);
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
	struct arcs fresh = { 0 };
	struct arc_area area;
	int ret;

	if (proc->shares_memory && p->vfork_tp == 0)
		return 0;
	if (find_arcs(proc, tid, &area) < 0)
		return -1;
	if (p->vfork_tp != 0) {
		ret = take_thread(proc, tid, &area, p->vfork_tp, &fresh);
	} else {
		ret = take_all(proc, tid, &area, &fresh);
		fresh.dropped = area.head[offsetof(struct profsup_arcs, dropped) / 8];
	}
	if (ret < 0) {
		arcs_clear(&fresh);
		return -1;
	}
	arcs_merge(&fresh);
	arcs_clear(&p->arcs);
	p->arcs = fresh;
	return 0;
}
