/*
 * What a gate shows of its rows, in any format for people.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool
gate_is_shown(const struct gate *g, const struct gate_row *r)
{
	return !g->is_new &&
	       (r->verdict == GATE_CHANGED || (g->opt->all && r->verdict == GATE_ALLOWED));
}

const char *
gate_state(const struct gate_row *r)
{
	return !r->there[BEFORE] ? "new" : !r->there[AFTER] ? "gone" : "changed";
}

char *
gate_calls(const struct gate_row *r, int side)
{
	const struct baseline_entry *e = &r->entry[side];

	if (!r->there[side])
		return memory_text("-");
	if (e->low == e->high)
		return memory_text("%ju", (uintmax_t)e->low);
	return memory_text("%ju..%ju", (uintmax_t)e->low, (uintmax_t)e->high);
}

static double
middle(const struct gate_row *r, int side)
{
	return ((double)r->entry[side].low + (double)r->entry[side].high) / 2;
}

char *
gate_change(const struct gate_row *r)
{
	const double before = middle(r, BEFORE), now = middle(r, AFTER);

	if (!r->there[BEFORE] || !r->there[AFTER])
		return memory_text("%s", gate_state(r));
	if (before <= 0)
		return memory_text("%+.0f", now);
	if (fabs(now - before) < before / 1000) /* no percentage that is shown would tell it */
		return memory_text("%+.0f", now - before);
	return memory_text("%+.1f %%", 100 * (now - before) / before);
}

/* A row, and that of its function. */
struct position {
	const struct gate_row *row;
	size_t function;
	double change; /* the function's */
};

static int
compare(const void *a, const void *b)
{
	const struct position *x = a, *y = b;

	if (x->change != y->change)
		return x->change > y->change ? -1 : 1;
	if (x->function != y->function)
		return x->function < y->function ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

const struct gate_row **
gate_order(const struct gate *g, size_t *n)
{
	const struct gate_row **rows = memory_array(g->nrows, sizeof(struct gate_row *));
	struct position *order = memory_array(g->nrows, sizeof(*order));
	size_t function = 0;
	double change = 0;

	*n = 0;
	for (size_t i = 0; i < g->nrows; i++) {
		const struct gate_row *r = &g->rows[i];

		/* A function comes before its arcs, and a baseline that was edited may lack it. */
		if (i == 0 ||
		    strcmp(r->entry[AFTER].name, g->rows[function].entry[AFTER].name) != 0) {
			function = i;
			change = fabs(middle(r, AFTER) - middle(r, BEFORE));
		}
		if (gate_is_shown(g, r))
			order[(*n)++] = (struct position){ r, function, change };
	}
	if (*n > 0)
		qsort(order, *n, sizeof(*order), compare);
	for (size_t i = 0; i < *n; i++)
		rows[i] = order[i].row;
	free(order);
	return rows;
}
