/*
 * Each caller's share of what it called, by gprof's rule: all calls of a function are taken to cost
 * the same.  Functions that call each other in a cycle have no order in which that could be worked
 * out, so they count as one, and calls among them as nothing.
 *
 * The cycles are the strongly connected components of the graph, by Tarjan's algorithm, which finds
 * callees before callers.  It keeps its own stack: a program may be as deep as it likes.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <stdlib.h>

struct node {
	uint32_t order; /* order of discovery, from 1; 0: not yet seen */
	uint32_t low;   /* order of the first discovered that can be reached */
	bool open;      /* its group isn't known yet */
	size_t next;    /* edge to look at */
};

struct search {
	struct model *m;
	struct node *nodes;
	uint32_t *path, *open; /* stacks */
	size_t npath, nopen;
	uint32_t seen;
	size_t nmembers;
	uint32_t cycles;
};

static void
enter(struct search *s, uint32_t f)
{
	s->nodes[f] = (struct node){ ++s->seen, s->seen, true, s->m->costs[f].edge };
	s->path[s->npath++] = f;
	s->open[s->nopen++] = f;
}

/* Makes a group of all functions opened since the one that closes the cycle. */
static void
make_group(struct search *s, uint32_t f)
{
	struct model *m = s->m;
	struct group *g = &m->groups[m->ngroups];
	uint32_t member;

	g->first = s->nmembers;
	do {
		member = s->open[--s->nopen];
		s->nodes[member].open = false;
		m->costs[member].group = (uint32_t)m->ngroups;
		m->members[s->nmembers++] = member;
		g->self += m->costs[member].self;
	} while (member != f);
	g->n = s->nmembers - g->first;
	g->cycle = g->n > 1 ? ++s->cycles : 0;
	m->ngroups++;
}

static void
lower(struct node *n, uint32_t to)
{
	if (to < n->low)
		n->low = to;
}

/* Goes on to the next callee that has not been seen, or back to the caller. */
static void
step(struct search *s)
{
	uint32_t f = s->path[s->npath - 1];
	struct node *n = &s->nodes[f];
	const struct cost *c = &s->m->costs[f];

	while (n->next < c->edge + c->nedges) {
		uint32_t callee = s->m->edges[n->next++].callee;

		if (s->nodes[callee].order == 0) {
			enter(s, callee);
			return;
		}
		if (s->nodes[callee].open)
			lower(n, s->nodes[callee].order);
	}
	if (n->low == n->order)
		make_group(s, f);
	if (--s->npath > 0)
		lower(&s->nodes[s->path[s->npath - 1]], n->low);
}

static void
find_groups(struct model *m)
{
	const size_t n = m->symbols->nfunctions;
	struct search s = { .m = m };

	m->groups = memory_array(n, sizeof(*m->groups));
	m->members = memory_array(n, sizeof(*m->members));
	s.nodes = memory_array(n, sizeof(*s.nodes));
	s.path = memory_array(n, sizeof(*s.path));
	s.open = memory_array(n, sizeof(*s.open));
	for (uint32_t f = 0; f < n; f++) {
		if (s.nodes[f].order != 0)
			continue;
		enter(&s, f);
		while (s.npath > 0)
			step(&s);
	}
	free(s.nodes);
	free(s.path);
	free(s.open);
}

static void
count_calls(struct model *m)
{
	for (size_t i = 0; i < m->nedges; i++) {
		struct edge *e = &m->edges[i];

		e->group_caller = m->costs[e->caller].group;
		e->group_callee = m->costs[e->callee].group;
		if (e->group_caller != e->group_callee)
			m->groups[e->group_callee].calls += e->calls;
	}
}

/* An edge's ticks are divided among its sites by their calls. */
static void
share_among_sites(struct model *m, const struct edge *e)
{
	for (size_t i = e->site; i < e->site + e->nsites; i++)
		m->sites[i].ticks = e->ticks * ((double)m->sites[i].calls / (double)e->calls);
}

/* The groups come callees first, so what a callee hands on is complete. */
static void
share_out(struct model *m)
{
	for (size_t i = 0; i < m->ngroups; i++) {
		struct group *g = &m->groups[i];

		g->total = g->self;
		for (size_t j = g->first; j < g->first + g->n; j++) {
			struct cost *c = &m->costs[m->members[j]];

			c->total = c->self;
			for (size_t k = c->edge; k < c->edge + c->nedges; k++) {
				struct edge *e = &m->edges[k];
				const struct group *callee = &m->groups[e->group_callee];

				if (e->group_callee != i)
					e->ticks = callee->total *
					           ((double)e->calls / (double)callee->calls);
				c->total += e->ticks;
				share_among_sites(m, e);
			}
			g->total += c->total - c->self;
		}
	}
}

void
groups_make(struct model *m)
{
	find_groups(m);
	if (m->stacks != NULL) {
		measured_totals(m);
		return;
	}
	count_calls(m);
	share_out(m);
}
