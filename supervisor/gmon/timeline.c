/*
 * When each sample was taken, or each wait ended, and of which thread: beside the tree of call
 * stacks, which says how often.  Pure.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"

#include "grow.h"
#include "share.h"

#include <stdlib.h>

/* Samples of all processes together: 40 MB.  A process has no more of them than are free. */
enum { MOST_MOMENTS = 1 << 20 };

static size_t held;

/* Adds a sample or a wait.  False: there is no room, and its time is not known. */
bool
timeline_add(struct timeline *t, struct stack_node *node, const struct moment *moment)
{
	struct moment *more;

	if (share_left(t->n, held, MOST_MOMENTS) == 0 ||
	    (more = grow(t->moment, t->n, sizeof(*more))) == NULL)
		return false;
	t->moment = more;
	more[t->n] = *moment;
	more[t->n++].node = node;
	node->timed += moment->ticks;
	held++;
	return true;
}

void
timeline_clear(struct timeline *t)
{
	held -= t->n;
	free(t->moment);
	*t = (struct timeline){ 0 };
}
