/*
 * What pprof's format has once: texts, functions, and locations, which are addresses, or functions
 * that stand for all their code.
 *
 * An address in inlined functions is one location with a line for each: that of the function whose
 * code it is first, and that of the symbol's last.  Readers mark them, so their names have no mark.
 *
 * SPDX-License-Identifier: ISC
 */
#include "pprof.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

void
pprof_places_make(struct pprof_places *w, const struct model *m, FILE *out)
{
	const size_t nplaces = m->stacks != NULL ? m->stacks->nplaces : m->nspots;

	w->m = m;
	w->out = pprof_begin(out);
	if (w->out == NULL)
		err(EXIT_BAD, "pprof");
	names_number(&w->texts, "", NULL);
	w->nframes = m->symbols->nfunctions + m->ngroups + 1;
	w->functions = memory_array(w->nframes, sizeof(*w->functions));
	w->locations = memory_array(w->nframes + nplaces, sizeof(*w->locations));
}

uint64_t
pprof_text(struct pprof_places *w, const char *s)
{
	const uint32_t known = w->texts.n, number = names_number(&w->texts, s, NULL);

	return number == known ? pprof_put_text(w->out, s) : number;
}

/* A cycle is a function without a file. */
static uint64_t
function(struct pprof_places *w, uint32_t frame)
{
	const struct symbols *s = w->m->symbols;
	struct pprof_function f = { 0 };
	const char *symbol, *file;
	unsigned line;
	char *name;

	if (w->functions[frame] != 0)
		return w->functions[frame];
	name = frame < s->nfunctions ? naming_plain(&s->functions[frame])
	                             : chains_frame_name(w->m, frame);
	symbol = frame < s->nfunctions ? s->functions[frame].symbol : name;
	f.name = pprof_text(w, name);
	f.system_name = pprof_text(w, symbol);
	if (frame < s->nfunctions && where_function(w->m, frame, &file, &line)) {
		f.file = pprof_text(w, file);
		f.line = line;
	}
	free(name);
	return w->functions[frame] = pprof_put_function(w->out, &f);
}

/* Returns the source line, 0 if it is not known or in another file than the function begins in:
 * only the function has a place for a file's name. */
static unsigned
line_of(const struct pprof_places *w, uint32_t frame, uint64_t pc, uint32_t call)
{
	const char *file, *function_file;
	unsigned line, function_line;

	if (!where_place(w->m, pc, call, &file, &line) ||
	    !where_function(w->m, frame, &function_file, &function_line))
		return 0;
	return strcmp(file, function_file) == 0 ? line : 0;
}

void
pprof_add_frame(struct pprof_frames *g, uint32_t frame, unsigned line)
{
	if (g->n > MOST_INLINED)
		return;
	g->frame[g->n] = frame;
	g->line[g->n++] = line;
}

static uint64_t
location_at(struct pprof_places *w, uint64_t *id, const struct pprof_frames *g)
{
	struct pprof_line lines[MOST_INLINED + 1];
	struct pprof_location l = { .mapping = g->pc != 0, .address = g->pc };

	if (*id != 0)
		return *id;
	for (size_t i = 0; i < g->n; i++)
		lines[i] = (struct pprof_line){ function(w, g->frame[g->n - 1 - i]),
			                        g->line[g->n - 1 - i] };
	l.lines = lines;
	l.nlines = g->n;
	return *id = pprof_put_location(w->out, &l);
}

/* Returns the location that stands for all of a frame's function. */
uint64_t
pprof_location(struct pprof_places *w, uint32_t frame)
{
	const struct symbols *s = w->m->symbols;
	struct pprof_frames g = { .pc = frame < s->nfunctions ? s->functions[frame].low : 0 };

	pprof_add_frame(&g, frame, g.pc != 0 ? line_of(w, frame, g.pc, 0) : 0);
	return location_at(w, &w->locations[frame], &g);
}

/* The same of a function with others inlined, wherever that is. */
uint64_t
pprof_location_of_frames(struct pprof_places *w, const struct pprof_frames *g)
{
	const uint32_t before = w->groups.n;
	uint32_t number;
	char *key;

	if (g->n == 1)
		return pprof_location(w, g->frame[0]);
	key = memory_text("%s", "");
	for (size_t i = 0; i < g->n; i++) {
		char *longer = memory_text("%s %u", key, g->frame[i]);

		free(key);
		key = longer;
	}
	number = names_number(&w->groups, key, NULL);
	free(key);
	if (number == before) {
		w->group_locations =
		    memory_grow(w->group_locations, number, sizeof(*w->group_locations));
		w->group_locations[number] = 0;
	}
	return location_at(w, &w->group_locations[number], g);
}

/* Returns the location of a spot, which is in the functions of the group. */
uint64_t
pprof_location_of_spot(struct pprof_places *w, size_t number, const struct pprof_frames *in)
{
	const struct spot *spot = &w->m->spots[number];
	struct pprof_frames g = *in;
	uint32_t chain[MOST_INLINED];
	uint64_t next;
	size_t n = 0;

	g.pc = g.frame[0] == FUNCTION_UNKNOWN ? 0 : spot->pc;
	if (g.n > 1)
		n = inlines_chain(w->m->inlines, inlines_at(w->m->inlines, spot->pc, &next), chain);
	for (size_t i = 0; i + 1 < g.n && i < n; i++)
		g.line[i] = line_of(w, g.frame[i], spot->pc, chain[i]);
	g.line[g.n - 1] = g.pc != 0 ? line_of(w, g.frame[g.n - 1], spot->pc, 0) : 0;
	return location_at(w, &w->locations[w->nframes + number], &g);
}

/* Takes the frames of a stack that are one location, from the number i on.  Returns its number. */
uint64_t
pprof_location_in_stack(struct pprof_places *w, const struct stack *stack, uint32_t *i)
{
	const struct stacks *all = w->m->stacks;
	const struct place *place;
	struct pprof_frames g;
	uint32_t number;

	g.n = 0;
	do {
		number = all->frames[stack->at + (*i)++];
		place = &all->places[number];
		g.pc = g.n == 0 && place->function == FUNCTION_UNKNOWN ? 0 : place->pc;
		pprof_add_frame(&g, place->function,
		                g.pc != 0 ? line_of(w, place->function, place->pc, place->call)
		                          : 0);
	} while (place->call != 0);
	return location_at(w, &w->locations[w->nframes + number], &g);
}
