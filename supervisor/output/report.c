/*
 * --report: at the end, for each program the functions that used most, over all its processes that
 * the same user started.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include <stdlib.h>
#include <string.h>

struct program {
	struct program *next;
	struct image_id image;
	uid_t uid;
	gid_t gid;
	char name[16];
	struct counts total;
	unsigned processes;
};

/* A program that changes with each start must not fill our memory, nor the screen. */
enum { MOST_PROGRAMS = 1024, SHOWN_PROGRAMS = 10, SHOWN_FUNCTIONS = 10 };

/* Columns before a name: "profsup: " and the figures. */
enum { BEFORE_NAME = 9 + 37 };

static struct program *programs;
static unsigned nprograms;
static bool lost;

static struct program *
find_or_add(const struct proc *proc)
{
	const struct place *place = proc->profile->place;
	struct program *g;

	for (g = programs; g != NULL; g = g->next)
		if (image_same(&g->image, &proc->image.elf.id) && g->uid == place->id.uid &&
		    g->gid == place->id.gid && merge_fits(&g->total, &proc->profile->counts))
			return g;
	g = nprograms < MOST_PROGRAMS ? calloc(1, sizeof(*g)) : NULL;
	if (g == NULL)
		return NULL;
	nprograms++;
	g->image = proc->image.elf.id;
	g->uid = place->id.uid;
	g->gid = place->id.gid;
	memcpy(g->name, place->name, sizeof(g->name));
	merge_start(&g->total, &proc->profile->counts);
	g->next = programs;
	programs = g;
	return g;
}

/* Adds a process that has ended. */
void
report_add(const struct profsup *ps, const struct proc *proc)
{
	struct program *g;

	if (!ps->opt.report)
		return;
	g = find_or_add(proc);
	if (g == NULL || merge_add(&g->total, &proc->profile->counts) < 0)
		lost = true;
	else
		g->processes++;
}

static void
print_program(const struct profsup *ps, struct program *g)
{
	const double second = (double)NSEC / (double)ps->period;
	char name[512];
	struct flat f;

	if (flat_make(&f, symtab_find(&g->image), &g->total, FLAT_TICKS) < 0) {
		lost = true;
		return;
	}
	log_asked("%s: %.3f s of CPU time, %llu call%s, %u process%s%s", g->name, f.ticks / second,
	          (unsigned long long)f.calls, f.calls == 1 ? "" : "s", g->processes,
	          g->processes == 1 ? "" : "es",
	          f.names == NULL ? "; its symbols could not be read" : "");
	if (f.n > 0)
		log_asked("%7s %11s %15s  function", "share", "self s", "calls");
	for (size_t i = 0; i < f.n && i < SHOWN_FUNCTIONS; i++)
		log_asked("%6.1f%% %11.3f %15llu  %s", flat_percent(f.row[i].ticks, f.ticks),
		          f.row[i].ticks / second, (unsigned long long)f.row[i].calls,
		          screen_name(f.row[i].name, BEFORE_NAME, name, sizeof(name)));
	if (f.n > SHOWN_FUNCTIONS)
		log_asked("%7s and %zu more functions", "", f.n - SHOWN_FUNCTIONS);
	flat_free(&f);
}

static struct program *
most_used(void)
{
	struct program *most = NULL;

	for (struct program *g = programs; g != NULL; g = g->next)
		if (g->processes != 0 &&
		    (most == NULL || g->total.hist.ticks >= most->total.hist.ticks))
			most = g;
	return most;
}

/* Prints. */
void
report_print(const struct profsup *ps)
{
	struct program *g;
	unsigned left = 0;

	if (!ps->opt.report)
		return;
	symtab_wait();
	for (unsigned n = 0; n < SHOWN_PROGRAMS && (g = most_used()) != NULL; n++) {
		print_program(ps, g);
		g->processes = 0;
	}
	for (g = programs; g != NULL; g = g->next)
		left += g->processes != 0;
	if (left != 0)
		log_asked("and %u more programs", left);
	if (lost)
		log_error("--report: incomplete: out of memory");
}
