/*
 * A picture of the call graph, drawn by Graphviz: dot runs as a child, with files that have no name
 * for its input and its output, so neither side waits for the other.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include <err.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a reader can take in.  dot's own time grows faster than the graph: MANY arcs are drawn as
 * straight lines and placed with less care, since curves around each other would take hours. */
enum { MOST_NODES = 80, MOST_LABELLED = 60, MANY_ARCS = 200, MOST_ARCS = 1000, MOST_NAME = 60 };
/* Shares of the time below which a function or an arc is left out, as pprof has them. */
static const double least_function = 0.005, least_arc = 0.001;

struct drawing {
	const struct model *m;
	FILE *dot;
	bool *drawn;  /* functions that are drawn */
	size_t small; /* functions that are left out */
	const struct edge **edges;
	size_t nedges;
};

static double
share(const struct model *m, double ticks)
{
	return m->ticks > 0 ? ticks / m->ticks : 0;
}

static const struct model *ranked; /* for qsort */

/* Ranks by time, then by calls: a program that only called has a picture, too. */
static int
compare_ranks(const void *a, const void *b)
{
	const uint32_t f = *(const uint32_t *)a, g = *(const uint32_t *)b;
	const struct cost *x = &ranked->costs[f], *y = &ranked->costs[g];

	if (x->total > y->total || x->total < y->total)
		return x->total > y->total ? -1 : 1;
	if (x->calls != y->calls)
		return x->calls > y->calls ? -1 : 1;
	return f < g ? -1 : f > g;
}

static void
choose(struct drawing *d)
{
	const struct model *m = d->m;
	uint32_t *order = memory_array(m->symbols->nfunctions, sizeof(*order));
	size_t n = 0;

	for (uint32_t f = 0; f < m->symbols->nfunctions; f++) {
		if (!model_has(m, f))
			continue;
		if (m->ticks > 0 && share(m, m->costs[f].total) < least_function)
			d->small++;
		else
			order[n++] = f;
	}
	ranked = m;
	qsort(order, n, sizeof(*order), compare_ranks);
	for (size_t i = 0; i < n && i < MOST_NODES; i++)
		d->drawn[order[i]] = true;
	if (n > MOST_NODES)
		note("svg: %zu functions are too many for a picture: the %d with most time are "
		     "drawn",
		     n, MOST_NODES);
	free(order);
}

static int
compare_edges(const void *a, const void *b)
{
	const struct edge *const *x = a, *const *y = b;

	if ((*x)->ticks > (*y)->ticks || (*x)->ticks < (*y)->ticks)
		return (*x)->ticks > (*y)->ticks ? -1 : 1;
	if ((*x)->calls != (*y)->calls)
		return (*x)->calls > (*y)->calls ? -1 : 1;
	return *x < *y ? -1 : *x > *y;
}

/* An arc within a cycle may carry no cost, but without it the cycle would fall apart. */
static bool
is_worth_drawing(const struct drawing *d, const struct edge *e)
{
	const struct cost *costs = d->m->costs;

	return d->drawn[e->caller] && d->drawn[e->callee] &&
	       (d->m->ticks <= 0 || share(d->m, e->ticks) >= least_arc ||
	        (costs[e->caller].group == costs[e->callee].group && e->caller != e->callee));
}

/* Chooses the edges between functions that are drawn, in the model's order. */
static void
choose_edges(struct drawing *d)
{
	const struct model *m = d->m;

	d->edges = memory_array((size_t)MOST_NODES * MOST_NODES, sizeof(struct edge *));
	for (size_t i = 0; i < m->nedges; i++)
		if (is_worth_drawing(d, &m->edges[i]))
			d->edges[d->nedges++] = &m->edges[i];
	if (d->nedges <= MOST_ARCS)
		return;
	note("svg: %zu arcs are too many for a picture: the %d with most time are drawn", d->nedges,
	     MOST_ARCS);
	qsort(d->edges, d->nedges, sizeof(struct edge *), compare_edges);
	d->nedges = MOST_ARCS;
}

/* The middle of a long name says least.  A cut within a character would be no UTF-8. */
static void
put_name(FILE *dot, const char *name)
{
	size_t len = strlen(name), cut_from = len, cut_to = len;

	if (len > MOST_NAME) {
		for (cut_from = MOST_NAME / 2; (name[cut_from] & 0xc0) == 0x80; cut_from--)
			continue;
		for (cut_to = len - MOST_NAME / 2; (name[cut_to] & 0xc0) == 0x80; cut_to++)
			continue;
	}
	for (size_t i = 0; i < len; i++) {
		if (i == cut_from) {
			fputs("...", dot);
			i = cut_to;
		}
		if (name[i] == '"' || name[i] == '\\')
			fputc('\\', dot);
		/* dot would take it for the start of an entity. */
		fputs(name[i] == '&' ? "&amp;" : (char[]){ name[i], '\0' }, dot);
	}
}

static const char *
calls_word(uint64_t calls)
{
	return calls == 1 ? "call" : "calls";
}

/* Shades of one hue: the more time is in the function itself, the fuller, and the larger its name.
 */
static void
put_node(struct drawing *d, uint32_t f)
{
	const struct cost *c = &d->m->costs[f];
	const double self = share(d->m, c->self);

	fprintf(d->dot, "n%u [label=\"", f);
	put_name(d->dot, d->m->symbols->functions[f].name);
	fprintf(d->dot, "\\n%.1f%%", 100 * share(d->m, c->total));
	if (c->self > 0 && c->self < c->total)
		fprintf(d->dot, " (self %.1f%%)", 100 * self);
	else if (c->self > 0)
		fputs(" (all self)", d->dot);
	if (c->calls > 0)
		fprintf(d->dot, "\\n%ju %s", (uintmax_t)c->calls, calls_word(c->calls));
	fprintf(d->dot, "\",fillcolor=\"0.05 %.3f 1.0\",fontsize=%.0f,tooltip=\"", self,
	        12 + 8 * self);
	put_name(d->dot, d->m->symbols->functions[f].name);
	fputs("\"];\n", d->dot);
}

static void
put_edge_text(struct drawing *d, const struct edge *e)
{
	fprintf(d->dot, "%.1f%%", 100 * share(d->m, e->ticks));
	if (e->calls > 0)
		fprintf(d->dot, ", %ju %s", (uintmax_t)e->calls, calls_word(e->calls));
}

/* An arrow has a label only if its function has others, too, and there are few arrows: the numbers
 * of an only arrow are those of its function. */
static bool
has_label(const struct drawing *d, const struct edge *e)
{
	const struct cost *c = &d->m->costs[e->callee];

	return d->nedges <= MOST_LABELLED &&
	       (e->calls != c->calls - c->by_self || e->ticks < 0.995 * c->total);
}

/* What there is no room for is shown where the pointer is. */
static void
put_edge(struct drawing *d, const struct edge *e)
{
	const double part = share(d->m, e->ticks);

	fprintf(d->dot, "n%u -> n%u [penwidth=%.2f,arrowsize=%.2f,tooltip=\"", e->caller, e->callee,
	        1 + 3 * part, 0.8 - 0.3 * part);
	put_name(d->dot, d->m->symbols->functions[e->caller].name);
	fputs(" to ", d->dot);
	put_name(d->dot, d->m->symbols->functions[e->callee].name);
	fputs(": ", d->dot);
	put_edge_text(d, e);
	if (has_label(d, e)) {
		fputs("\",label=\"  ", d->dot);
		put_edge_text(d, e);
		fputs("  ", d->dot);
	}
	fputs("\"];\n", d->dot);
}

static void
put_graph(struct drawing *d)
{
	const struct model *m = d->m;

	fputs("digraph \"", d->dot);
	put_name(d->dot, m->symbols->program);
	fputs("\" {\nranksep=0.4;\nnode [shape=box,style=filled,fontname=\"sans-serif\"];\n"
	      "edge [fontname=\"sans-serif\",fontsize=10,color=\"#555555\"];\n"
	      "labelloc=t;\nfontname=\"sans-serif\";\n",
	      d->dot);
	if (d->nedges > MANY_ARCS)
		fputs("splines=line;\nnslimit=0.5;\nnslimit1=0.5;\nmclimit=0.01;\n", d->dot);
	fputs("label=\"", d->dot);
	put_name(d->dot, m->symbols->program);
	fprintf(d->dot, ": %.2f s of %s time, ", model_seconds(m, m->ticks),
	        model_what(m) == STACKS_CPU ? "CPU" : stacks_type(model_what(m)));
	if (m->calls == 0)
		fputs("no calls were counted", d->dot);
	else
		fprintf(d->dot, "%ju %s", (uintmax_t)m->calls, calls_word(m->calls));
	if (d->small > 0)
		fprintf(d->dot, "\\n%zu %s with less than %.1f%% of it %s not drawn", d->small,
		        d->small == 1 ? "function" : "functions", 100 * least_function,
		        d->small == 1 ? "is" : "are");
	fputs("\";\n", d->dot);
	for (uint32_t f = 0; f < m->symbols->nfunctions; f++)
		if (d->drawn[f])
			put_node(d, f);
	for (size_t i = 0; i < d->nedges; i++)
		put_edge(d, d->edges[i]);
	fputs("}\n", d->dot);
}

static void
run_dot(int in, int out)
{
	char dot[] = "dot", how[] = "-Tsvg", *argv[] = { dot, how, NULL };
	posix_spawn_file_actions_t actions;
	int status, error;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
	error = posix_spawnp(&pid, dot, &actions, NULL, argv, environ);
	if (error == ENOENT)
		errx(EXIT_BAD, "svg: dot, which draws it, is not installed: see graphviz.org");
	if (error != 0) {
		errno = error;
		err(EXIT_BAD, "svg: dot");
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (WIFSIGNALED(status))
		errx(EXIT_BAD, "svg: dot was killed by signal %d", WTERMSIG(status));
	if (WEXITSTATUS(status) != 0)
		errx(EXIT_BAD, "svg: dot failed with status %d", WEXITSTATUS(status));
	posix_spawn_file_actions_destroy(&actions);
}

void
svg_write(const struct model *m, FILE *out)
{
	struct drawing d = { .m = m, .dot = memory_file() };
	FILE *drawn = memory_file();
	int c;

	d.drawn = memory_array(m->symbols->nfunctions, sizeof(*d.drawn));
	choose(&d);
	choose_edges(&d);
	put_graph(&d);
	if (fflush(d.dot) != 0 || fseek(d.dot, 0, SEEK_SET) != 0)
		err(EXIT_BAD, "svg: memory");
	run_dot(fileno(d.dot), fileno(drawn));
	rewind(drawn);
	while ((c = getc(drawn)) != EOF)
		putc(c, out);
	fclose(drawn);
	fclose(d.dot);
	free(d.edges);
	free(d.drawn);
}
