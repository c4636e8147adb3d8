/*
 * The other half of mcount: finds or makes the place for an arc that the assembler did not find.
 *
 * Called with any lock of the program held, in signal handlers, in the child of a fork, on any
 * stack: so no libc, no system call, no lock, and nothing that an interruption at any instruction
 * could leave half done.  A table is only ever added to.  When one is full the thread gets another,
 * twice as large and empty; the counts in the old one stay where they are, and whoever reads
 * adds up equal arcs.
 *
 * Compiled for general registers only, without instrumentation or stack protector.
 *
 * SPDX-License-Identifier: ISC
 */
#include "shim.h"

#include "syscall_arch.h"

#define LOG2_FIRST __builtin_ctz(PROFSUP_TABLE_FIRST)

/* In how many places an arc may stand: in a thread's table, those that the assembler looks at; in
 * the shared one, which can't grow, so many that it gets two thirds full before anything is
 * dropped. */
#define WINDOW        (PROFSUP_TABLE_PAD + 1)
#define SHARED_WINDOW 64

/* Replaces what two words hold, if it is what we think: one instruction to this thread's signal
 * handlers, and to other threads. */
RUNTIME_TEXT static int
swap_pair(void *at, const uint64_t was[2], const uint64_t now[2])
{
	return __sync_bool_compare_and_swap((unsigned __int128 *)at,
	                                    (unsigned __int128)was[1] << 64 | was[0],
	                                    (unsigned __int128)now[1] << 64 | now[0]);
}

/*
 * Counts a call in this place, if it is the key's, or with `claim` if it is empty.  Key and count
 * change together, so a handler may make the same call at any instruction, and if a fork has
 * emptied the place meanwhile, no count is left there for another arc.  The fast path may leave
 * such a count without a key: see skip_stale().
 */
RUNTIME_TEXT static int
count_in(struct profsup_arc *arc, uint64_t key, int claim)
{
	uint64_t was[2], now[2] = { key };

	do {
		/* In this order: if the count is there, so is its key. */
		was[1] = __atomic_load_n(&arc->count, __ATOMIC_ACQUIRE);
		was[0] = __atomic_load_n((uint64_t *)arc, __ATOMIC_RELAXED);
		if (was[0] != key && (!claim || was[0] != 0 || was[1] != 0))
			return 0;
		now[1] = was[1] + 1;
	} while (!swap_pair(arc, was, now));
	return 1;
}

/* Counts a call in the window of a table that starts at the key's hash. */
RUNTIME_TEXT static int
count_in_table(struct profsup_arc *table, uint64_t mask, int window, uint64_t key, int claim)
{
	uint64_t at = (key * PROFSUP_HASH_FACTOR) >> PROFSUP_HASH_SHIFT & mask;
	struct profsup_arc *arc = table + at / sizeof(*arc);

	for (int i = 0; i < window; i++)
		if (count_in(arc + i, key, claim))
			return 1;
	return 0;
}

/* The table that all share: threads without one of their own, and arcs that found no room. */
RUNTIME_TEXT static void
record_shared(struct profsup_arcs *a, uint64_t key)
{
	uint64_t places = __profsup_state.places / 4;
	uint64_t size =
	    places > 2UL * SHARED_WINDOW ? 1UL << (63 - __builtin_clzl(places - SHARED_WINDOW)) : 0;

	if (__atomic_load_n(&a->shared_used, __ATOMIC_RELAXED) == 0)
		__atomic_store_n(&a->shared_used, 1, __ATOMIC_RELAXED);
	if (size == 0 ||
	    !count_in_table(a->pool, (size - 1) * sizeof(*a->pool), SHARED_WINDOW, key, 1))
		__atomic_fetch_add(&a->dropped, 1, __ATOMIC_RELAXED);
}

/* Returns the slot of a thread pointer, claimed if it is new.  NULL: there are too many. */
RUNTIME_TEXT static struct profsup_thread_slot *
slot_of(struct profsup_arcs *a, uint64_t tp)
{
	uint64_t at = tp * PROFSUP_HASH_FACTOR >> 52;

	_Static_assert(PROFSUP_THREAD_SLOTS == 1 << (64 - 52), "the hash has one value per slot");
	for (int i = 0; i < PROFSUP_THREAD_SLOTS; i++) {
		struct profsup_thread_slot *s = &a->slots[(at + i) % PROFSUP_THREAD_SLOTS];
		uint64_t was = __atomic_load_n(&s->thread_pointer, __ATOMIC_RELAXED);

		if (was == 0 && __atomic_compare_exchange_n(&s->thread_pointer, &was, tp, 0,
		                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return s;
		if (was == tp)
			return s;
	}
	return NULL;
}

/* How far tables have reached in the region, in this process or those that it was forked from: a
 * forked child's region is empty, and this is not. */
static uint64_t most_used;

/* Sets it to `to` at the least. */
RUNTIME_TEXT static void
reach(uint64_t *at, uint64_t to)
{
	uint64_t was = __atomic_load_n(at, __ATOMIC_RELAXED);

	while (was < to &&
	       !__atomic_compare_exchange_n(at, &was, to, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		continue;
}

/* Takes room for a head, 2^log2 arcs and their pad.  Returns the index of the first arc, 0 if there
 * is none. */
RUNTIME_TEXT static uint64_t
reserve(struct profsup_arcs *a, uint64_t older, int log2)
{
	uint64_t places = __profsup_state.places, shared = places / 4;
	uint64_t want = 1 + (1UL << log2) + PROFSUP_TABLE_PAD;
	uint64_t used = __atomic_load_n(&a->used, __ATOMIC_RELAXED);
	struct profsup_table_head *head;

	do {
		if (want > places - shared - used)
			return 0;
	} while (!__atomic_compare_exchange_n(&a->used, &used, used + want, 0, __ATOMIC_RELAXED,
	                                      __ATOMIC_RELAXED));
	if (__profsup_state.spare == 0) /* which is not emptied by a fork */
		reach(&most_used, used + want);
	head = (void *)&a->pool[shared + used];
	head->older = older;
	return shared + used + 1;
}

/*
 * In a forked child all tables are gone, but the forking thread still looks where its own was, and
 * if the fork was made by a signal handler that interrupted mcount, the interrupted add is still to
 * come: no table may be made there.  A new thread that is the first to want one does not know where
 * that was, but how far all have reached.
 */
RUNTIME_TEXT static void
skip_stale(struct profsup_arcs *a)
{
	const struct profsup_table *t = &__profsup_table;

	if (t->arcs != NULL)
		reach(&a->used, (uint64_t)(t->arcs - a->pool) - __profsup_state.places / 4 +
		                    t->mask / sizeof(struct profsup_arc) + 1 + PROFSUP_TABLE_PAD);
	else if (__atomic_load_n(&a->used, __ATOMIC_RELAXED) == 0)
		reach(&a->used, most_used);
}

RUNTIME_TEXT static uint64_t
mask_of(uint64_t where)
{
	return ((1UL << (where & 0xff)) - 1) * sizeof(struct profsup_arc);
}

/*
 * Makes a slot's table the one that the assembler looks in.  A handler at any instruction may do
 * the same with a larger one; whichever pair of pointer and mask is then seen, the mask is not too
 * large for the pointer.
 */
RUNTIME_TEXT static void
use(struct profsup_arcs *a, const struct profsup_thread_slot *s, uint64_t where)
{
	struct profsup_table *t = &__profsup_table;
	struct profsup_arc *base = a->pool + (where >> 8);
	struct profsup_arc *old = __atomic_load_n(&t->arcs, __ATOMIC_RELAXED);

	if (old == base && __atomic_load_n(&t->mask, __ATOMIC_RELAXED) == mask_of(where))
		return;
	__atomic_store_n(&t->mask, 0, __ATOMIC_SEQ_CST);
	if (__atomic_compare_exchange_n(&t->arcs, &old, base, 0, __ATOMIC_SEQ_CST,
	                                __ATOMIC_SEQ_CST) &&
	    __atomic_load_n(&s->where, __ATOMIC_SEQ_CST) == where)
		__atomic_store_n(&t->mask, mask_of(where), __ATOMIC_SEQ_CST);
}

/* Gives a slot that has this table, or none, a larger one.  0: there is no room. */
RUNTIME_TEXT static int
grow(struct profsup_arcs *a, struct profsup_thread_slot *s, uint64_t tp, uint64_t where)
{
	int log2 = where == 0 ? LOG2_FIRST : (int)(where & 0xff) + 1;
	uint64_t first;

	if (where == 0)
		skip_stale(a);
	first = reserve(a, where, log2);
	if (first == 0)
		return 0;
	/*
	 * A handler may have been quicker; its table is as good, and ours is lost.  It may have
	 * forked, too: then in the child neither slot nor place are ours any more.
	 */
	swap_pair(s, (const uint64_t[2]){ tp, where },
	          (const uint64_t[2]){ tp, first << 8 | (uint64_t)log2 });
	return 1;
}

/* The pool is used up, so an arc that the thread has in a smaller table is counted there. */
RUNTIME_TEXT static int
count_in_older(struct profsup_arcs *a, uint64_t where, uint64_t key)
{
	while (where != 0) {
		struct profsup_arc *table = a->pool + (where >> 8);

		if (count_in_table(table, mask_of(where), WINDOW, key, 0))
			return 1;
		where = ((const struct profsup_table_head *)(table - 1))->older;
	}
	return 0;
}

/*
 * Counts in the thread's own table.  A slot outlives its thread: a thread with the same pointer can
 * only come after the first is gone, and goes on in its table.  After a fork the slots are zero
 * although __profsup_table still points somewhere, so the slot is what counts.
 */
RUNTIME_TEXT static int
record_own(struct profsup_arcs *a, uint64_t key)
{
	const uint64_t tp = thread_pointer();
	struct profsup_thread_slot *s;

	while ((s = slot_of(a, tp)) != NULL) {
		uint64_t where = __atomic_load_n(&s->where, __ATOMIC_RELAXED);

		if (where != 0) {
			use(a, s, where);
			if (count_in_table(a->pool + (where >> 8), mask_of(where), WINDOW, key, 1))
				return 1;
		}
		if (!grow(a, s, tp, where))
			return count_in_older(a, where, key);
	}
	return 0;
}

RUNTIME_TEXT void
__profsup_record(uint64_t from, uint64_t self)
{
	struct profsup_arcs *a = (struct profsup_arcs *)__profsup_state.arcs;
	uint64_t key;

	if (a == NULL)
		return; /* no room, but the program has given profil a buffer of its own */
	/* Half an address is enough inside the text only; gprof drops arcs from callers that have
	 * no symbol. */
	if (from - __profsup_state.low_pc - 8 >= __profsup_state.high_pc - __profsup_state.low_pc)
		from = __profsup_state.outside_pc + 1;
	/* No call leads to a signal handler or the first function of a stack: such a function
	 * returns to the start of a trampoline, and the reader takes the byte before a return
	 * address for the caller. */
	else if (!follows_call((const unsigned char *)from))
		from++;
	key = from << 32 | (uint32_t)self;
	if (__profsup_state.mode == PROFSUP_MODE_SHARED || !record_own(a, key))
		record_shared(a, key);
}
