/*
 * Call sites, each once.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <stdlib.h>

/* How many are added before they are merged with the others. */
enum { MANY = 64 << 10 };

static int
compare_sites(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->caller != y->caller)
		return x->caller < y->caller ? -1 : 1;
	if (x->callee != y->callee)
		return x->callee < y->callee ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->call < y->call ? -1 : x->call > y->call;
}

/* Sorts the sites by caller, callee and address, and adds up those that are the same. */
void
sites_merge(struct model *m)
{
	size_t n = 0;

	if (m->nsites == 0)
		return;
	qsort(m->sites, m->nsites, sizeof(*m->sites), compare_sites);
	for (size_t i = 1; i < m->nsites; i++)
		if (compare_sites(&m->sites[i], &m->sites[n]) == 0) {
			m->sites[n].calls += m->sites[i].calls;
			m->sites[n].ticks += m->sites[i].ticks;
			m->sites[n].by_self |= m->sites[i].by_self;
		} else {
			m->sites[++n] = m->sites[i];
		}
	m->nsites = m->merged_sites = n + 1;
}

void
sites_add(struct model *m, const struct site *site)
{
	if (m->nsites >= 2 * m->merged_sites + MANY)
		sites_merge(m);
	m->sites = memory_grow(m->sites, m->nsites, sizeof(*m->sites));
	m->sites[m->nsites++] = *site;
}
