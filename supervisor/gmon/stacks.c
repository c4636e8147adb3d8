/*
 * Ticks by call stack: a tree, whose nodes are program counters and whose roots are the outermost
 * frames.  Knows nothing of the system.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"

#include "share.h"

#include <stdlib.h>
#include <string.h>

/* Nodes of all trees together: 60 MB.  A tree has no more of them than are free.  So one alone can
 * have half of them, and of many the greedy ones leave as much to any other as each of them has. */
enum { MOST_NODES = 1 << 19 };

/* Two pcs that are nearer to each other, bytes, are taken for parts of one function. */
enum { NEAR = 512 };
/* Nodes that are looked at for one that is near. */
enum { MOST_LOOKS = 1 << 14 };

static size_t held;

enum { BLOCK = 64 };
struct stack_block {
	struct stack_block *next;
	size_t n;
	struct stack_node node[BLOCK];
};

/* NULL if there is no room. */
static struct stack_node *
new_node(struct stacks *s)
{
	struct stack_block *b = s->blocks;

	if (share_left(HASH_COUNT(s->nodes), held, MOST_NODES) == 0)
		return NULL;
	if (b == NULL || b->n == BLOCK) {
		b = calloc(1, sizeof(*b));
		if (b == NULL)
			return NULL;
		b->next = s->blocks;
		s->blocks = b;
	}
	held++;
	return &b->node[b->n++];
}

/* Returns the frame `pc` as called by `caller`, NULL for an outermost frame; NULL if there is no
 * room for it. */
static struct stack_node *
frame_of(struct stacks *s, struct stack_node *caller, uint64_t pc)
{
	const struct stack_key key = { caller, secret_mix(pc) };
	struct stack_node *node;

	/* NOLINTNEXTLINE(*-core.UndefinedBinaryOperatorResult): it has no padding */
	HASH_FIND(hh, s->nodes, &key, sizeof(key), node);
	if (node != NULL || (node = new_node(s)) == NULL)
		return node;
	node->key = key;
	node->pc = pc;
	HASH_ADD(hh, s->nodes, key, sizeof(node->key), node);
	if (node->hh.tbl == NULL) {
		held--;
		s->blocks->n--;
		return NULL;
	}
	return node;
}

/* Replaces *kept, which may be NULL, by a copy that is as long as the frames.  False: there is no
 * memory, and the old one stays. */
bool
stack_keep(struct stack **kept, const struct stack *stack)
{
	struct stack *copy = realloc(*kept, stack_bytes(stack));

	if (copy == NULL)
		return false;
	memcpy(copy, stack, stack_bytes(stack));
	*kept = copy;
	return true;
}

static void
add_to(struct stacks *s, struct stack_node *node, uint64_t ticks)
{
	if (node == NULL)
		s->homeless += ticks;
	else
		node->ticks += ticks;
}

/* Returns the innermost frame of a stack; NULL if there is no room for it. */
static struct stack_node *
node_of(struct stacks *s, const struct stack *stack)
{
	struct stack_node *node = stack->cut ? frame_of(s, NULL, STACK_CUT) : NULL;
	bool room = node != NULL || !stack->cut;

	for (size_t i = stack->n; i-- > 0 && room; room = node != NULL)
		node = frame_of(s, node, stack->frame[i]);
	return room ? node : NULL;
}

/* Adds the ticks of a sample to its stack, or to those that find no room.  One that has none is
 * there for stacks_add_like. */
void
stacks_add(struct stacks *s, const struct stack *stack, uint64_t ticks)
{
	struct stack_node *node = node_of(s, stack);

	s->cut += stack->cut ? ticks : 0;
	s->guessed += stack->guessed ? ticks : 0;
	add_to(s, node, ticks);
	if (node == NULL)
		return;
	node->sampled = true;
	if (stack->time != 0 && ticks != 0 && ticks <= UINT32_MAX - node->timed)
		timeline_add(&s->timeline, node,
		             &(struct moment){ .time = stack->time,
		                               .tid = stack->tid,
		                               .ticks = (uint32_t)ticks });
}

static void
add_waits_to(struct stacks *s, struct stack_node *node, const struct waits *waits)
{
	struct waits *to = node == NULL ? &s->homeless_waits : &node->waits;

	to->blocked += waits->blocked;
	to->runnable += waits->runnable;
}

/* Adds time without a CPU to a stack, or to those that find no room; `time` 0: nobody asks when. */
void
stacks_add_waits(struct stacks *s, const struct stack *stack, const struct moment *what)
{
	struct stack_node *node = node_of(s, stack);

	if (what->time == 0 || node == NULL || !timeline_add(&s->timeline, node, what))
		add_waits_to(s, node, &what->waits);
}

static uint64_t
distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static bool
is_cut(const struct stack_node *node)
{
	while (node->key.caller != NULL)
		node = node->key.caller;
	return node->pc == STACK_CUT;
}

/* Whether two pcs may be taken for parts of one function. */
bool
stacks_are_near(uint64_t a, uint64_t b)
{
	return distance(a, b) < NEAR;
}

/* Adds ticks of which only the innermost frame is known.  They get the callers of the nearest
 * sample that `near` takes for another place of the same function.  Returns false if there is none,
 * and adds nothing then. */
bool
stacks_add_like(struct stacks *s, uint64_t pc, uint64_t ticks, stacks_near *near, const void *arg)
{
	const struct stack_node *nearest = NULL;
	uint64_t least = UINT64_MAX;
	unsigned n = 0;

	for (const struct stack_node *node = s->nodes; node != NULL && n++ < MOST_LOOKS;
	     node = node->hh.next)
		if (node->sampled && distance(node->pc, pc) < least && near(arg, node->pc, pc)) {
			nearest = node;
			least = distance(node->pc, pc);
		}
	if (nearest == NULL)
		return false;
	s->cut += is_cut(nearest) ? ticks : 0;
	add_to(s, frame_of(s, nearest->key.caller, pc), ticks);
	return true;
}

void
stacks_merge(struct stacks *to, const struct stacks *from)
{
	for (struct stack_node *node = from->nodes; node != NULL; node = node->hh.next) {
		const struct stack_node *caller = node->key.caller;

		node->copy = caller == NULL || caller->copy != NULL
		                 ? frame_of(to, caller == NULL ? NULL : caller->copy, node->pc)
		                 : NULL;
		add_to(to, node->copy, node->ticks);
		add_waits_to(to, node->copy, &node->waits);
	}
	for (size_t i = 0; i < from->timeline.n; i++) {
		const struct moment *m = &from->timeline.moment[i];

		if (m->node->copy == NULL || !timeline_add(&to->timeline, m->node->copy, m))
			add_waits_to(to, m->node->copy, &m->waits);
	}
	to->has_waits |= from->has_waits;
	add_waits_to(to, NULL, &from->homeless_waits);
	to->cut += from->cut;
	to->guessed += from->guessed;
	to->homeless += from->homeless;
}

void
stacks_clear(struct stacks *s)
{
	struct stack_block *b, *next;

	timeline_clear(&s->timeline);
	HASH_CLEAR(hh, s->nodes);
	for (b = s->blocks; b != NULL; b = next) {
		next = b->next;
		held -= b->n;
		free(b);
	}
	*s = (struct stacks){ .has_waits = s->has_waits };
}
