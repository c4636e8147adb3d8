/*
 * stacks.c: no tick is lost, wherever it goes.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"
#include "tap.h"

static uint64_t
all_ticks(const struct stacks *s)
{
	uint64_t n = s->homeless;

	for (const struct stack_node *node = s->nodes; node != NULL; node = node->hh.next)
		n += node->ticks;
	return n;
}

/* Ticks of the stack outer, middle, inner. */
static uint64_t
ticks_at(const struct stacks *s, uint64_t outer, uint64_t middle, uint64_t inner)
{
	for (const struct stack_node *n = s->nodes; n != NULL; n = n->hh.next) {
		const struct stack_node *m = n->key.caller;

		if (n->pc == inner && m != NULL && m->pc == middle && m->key.caller != NULL &&
		    m->key.caller->pc == outer)
			return n->ticks;
	}
	return 0;
}

static void
test_adding(void)
{
	struct stacks s = { 0 }, sum = { 0 };
	struct stack longest = { .n = STACK_FRAMES, .cut = true };

	stacks_add(&s, &(struct stack){ .n = 3, .frame = { 30, 20, 10 } }, 5);
	stacks_add(&s, &(struct stack){ .n = 3, .frame = { 30, 20, 10 } }, 2);
	stacks_add(&s, &(struct stack){ .n = 3, .frame = { 30, 21, 10 } }, 1);
	stacks_add(&s, &(struct stack){ .n = 2, .frame = { 20, 10 } }, 4);
	is_int((int64_t)ticks_at(&s, 10, 20, 30), 7, "the same stack is the same node");
	is_int((int64_t)ticks_at(&s, 10, 21, 30), 1, "another caller is another");
	is_int(HASH_COUNT(s.nodes), 5, "stacks share their outer frames");
	is_int((int64_t)s.cut, 0, "none is cut");
	stacks_add(&s, &(struct stack){ .n = 2, .cut = true, .frame = { 20, 10 } }, 8);
	is_int((int64_t)ticks_at(&s, STACK_CUT, 10, 20), 8, "a cut stack begins with a mark");
	is_int((int64_t)s.cut, 8, "and is counted");
	stacks_merge(&sum, &s);
	stacks_merge(&sum, &s);
	is_int((int64_t)all_ticks(&sum), 2 * (int64_t)all_ticks(&s), "a sum has all ticks");
	is_int((int64_t)ticks_at(&sum, 10, 20, 30), 14, "where they were");
	is_int((int64_t)sum.cut, 16, "and knows which are cut");
	stacks_clear(&sum);
	stacks_clear(&s);
	for (size_t i = 0; i < STACK_FRAMES; i++)
		longest.frame[i] = 10 + i;
	stacks_add(&s, &longest, 3);
	stacks_merge(&sum, &s);
	is_int((int64_t)sum.cut, 3, "so does one of the longest, cut stacks");
	is_int(HASH_COUNT(sum.nodes), HASH_COUNT(s.nodes), "which has all its frames there");
	stacks_clear(&s);
	stacks_clear(&sum);
	ok(s.nodes == NULL && all_ticks(&s) == 0, "nothing is left");
}

static bool
is_near(const void *arg, uint64_t a, uint64_t b)
{
	(void)arg;
	return stacks_are_near(a, b);
}

static void
test_guesses(void)
{
	struct stacks s = { 0 };

	ok(!stacks_add_like(&s, 1000, 1, is_near, NULL),
	   "without any sample there is none that is near");
	stacks_add(&s, &(struct stack){ .n = 3, .frame = { 5000, 20, 10 } }, 3);
	ok(stacks_add_like(&s, 5000, 2, is_near, NULL), "then there is");
	is_int((int64_t)ticks_at(&s, 10, 20, 5000), 5, "a pc that was seen gets its callers");
	stacks_add_like(&s, 5010, 2, is_near, NULL);
	is_int((int64_t)ticks_at(&s, 10, 20, 5010), 2, "as one that is near");
	ok(!stacks_add_like(&s, 900000, 2, is_near, NULL), "one that is far has none");
	is_int((int64_t)all_ticks(&s), 7, "and what has none is not added");
	stacks_add(&s, &(struct stack){ .n = 3, .frame = { 9000, 20, 10 }, .time = 7, .tid = 3 },
	           0);
	is_int((int64_t)s.timeline.n, 0, "a sample without a tick is not in the timeline");
	ok(stacks_add_like(&s, 9000, 1, is_near, NULL), "but is one that ticks are booked at");
	is_int((int64_t)ticks_at(&s, 10, 20, 9000), 1, "with its callers");
	stacks_clear(&s);
}

/* Samples with a time, of two processes that are added up. */
static void
test_timeline(void)
{
	struct stacks s = { 0 }, sum = { 0 };

	stacks_add(&s, &(struct stack){ .n = 2, .frame = { 20, 10 }, .time = 7, .tid = 3 }, 2);
	stacks_add(&s, &(struct stack){ .n = 2, .frame = { 20, 10 } }, 4);
	stacks_add(&s, &(struct stack){ .n = 1, .frame = { 10 }, .time = 9, .tid = 4 }, 1);
	is_int((int64_t)s.timeline.n, 2, "a sample without a time is not in the timeline");
	stacks_add(&sum, &(struct stack){ .n = 2, .frame = { 20, 10 }, .time = 5, .tid = 2 }, 1);
	stacks_merge(&sum, &s);
	is_int((int64_t)sum.timeline.n, 3, "a sum has all samples");
	is_int((int64_t)sum.timeline.moment[1].time, 7, "with their times");
	is_int(sum.timeline.moment[1].tid, 3, "and threads");
	is_int((int64_t)sum.timeline.moment[0].node->ticks, 7, "the stack has all ticks");
	is_int(sum.timeline.moment[0].node->timed, 3, "and knows how many have a time");
	stacks_clear(&s);
	stacks_clear(&sum);
	is_int((int64_t)sum.timeline.n, 0, "nothing is left");
}

/* Adds stacks that have no frame in common with others until one finds no room.  Returns how many
 * were added. */
static uint64_t
fill(struct stacks *s)
{
	static uint64_t pc = 1;
	struct stack stack = { .n = STACK_FRAMES };
	uint64_t n = 0;

	for (; s->homeless == 0 && n < 10000000; n++) {
		for (size_t i = 0; i < STACK_FRAMES; i++)
			stack.frame[i] = pc++;
		stacks_add(s, &stack, 1);
	}
	return n;
}

/* More stacks than there is room for, of several processes. */
static void
test_room(void)
{
	struct stacks first = { 0 }, second = { 0 }, late = { 0 };
	uint64_t n = fill(&first), all;

	ok(n < 10000000, "there is an end of room");
	all = HASH_COUNT(first.nodes);
	is_int((int64_t)all_ticks(&first), (int64_t)n, "no tick is lost");
	fill(&second);
	ok(HASH_COUNT(second.nodes) >= all / 2 - STACK_FRAMES, "a second one has half as much");
	fill(&late);
	ok(HASH_COUNT(late.nodes) >= all / 4 - STACK_FRAMES, "and a third one some, too");
	stacks_clear(&first);
	stacks_clear(&second);
	stacks_clear(&late);
	fill(&late);
	is_int(HASH_COUNT(late.nodes), (int64_t)all, "room that is given back is room again");
	stacks_clear(&late);
}

/* Time without a CPU is beside the ticks. */
static void
test_waits(void)
{
	const struct stack stack = { .n = 1, .frame = { 10 } };
	const struct moment waits = { .waits = { .blocked = 7, .runnable = 3 } };
	const struct moment timed = { .time = 5, .tid = 2, .waits = { .blocked = 9 } };
	struct stacks s = { .has_waits = true }, sum = { 0 };

	stacks_add_waits(&s, &stack, &waits);
	stacks_add(&s, &stack, 2);
	stacks_add_waits(&s, &stack, &waits);
	is_int(HASH_COUNT(s.nodes), 1, "waits are at the stack that has ticks, too");
	is_int((int64_t)s.nodes->waits.blocked, 14, "blocked time is added up");
	is_int((int64_t)s.nodes->waits.runnable, 6, "and time waiting for a CPU");
	stacks_merge(&sum, &s);
	stacks_merge(&sum, &s);
	is_int((int64_t)sum.nodes->waits.blocked, 28, "a sum has all of it");
	ok(sum.has_waits, "and says so");
	stacks_add_waits(&s, &stack, &timed);
	is_int((int64_t)s.nodes->waits.blocked, 14, "a wait with a time is in the timeline only");
	stacks_merge(&sum, &s);
	is_int((int64_t)sum.timeline.n, 1, "and in that of a sum");
	is_int((int64_t)sum.timeline.moment[0].waits.blocked, 9, "with how long it was");
	is_int((int64_t)sum.nodes->waits.blocked, 42, "beside the waits that have none");
	stacks_clear(&s);
	ok(s.has_waits && s.nodes == NULL, "what is cleared goes on counting waits");
	stacks_clear(&sum);
}

int
main(void)
{
	test_waits();
	test_adding();
	test_guesses();
	test_timeline();
	test_room();
	return done_testing();
}
