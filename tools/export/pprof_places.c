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

#include <stdlib.h>
#include <string.h>

typedef Perftools__Profiles__Profile Profile;
typedef Perftools__Profiles__Location Location;
typedef Perftools__Profiles__Line Line;
typedef Perftools__Profiles__Function Function;

void
pprof_places_make(struct pprof_places *w, const struct model *m, Profile *p)
{
	const size_t nplaces = m->stacks != NULL ? m->stacks->nplaces : m->nspots;

	w->m = m;
	w->p = p;
	w->nframes = m->symbols->nfunctions + m->ngroups + 1;
	w->functions = memory_array(w->nframes, sizeof(*w->functions));
	w->locations = memory_array(w->nframes + nplaces, sizeof(*w->locations));
}

int64_t
pprof_text(struct pprof_places *w, const char *s)
{
	const char *kept;
	const uint32_t known = w->texts.n, number = names_number(&w->texts, s, &kept);
	Profile *p = w->p;

	if (number == known) {
		p->string_table = memory_grow(p->string_table, p->n_string_table, sizeof(char *));
		p->string_table[p->n_string_table++] = (char *)kept;
	}
	return number;
}

/* A cycle is a function without a file. */
static Function *
make_function(struct pprof_places *w, uint32_t frame, uint64_t id)
{
	const struct symbols *s = w->m->symbols;
	Function *f = memory_array(1, sizeof(*f));
	char *name = frame < s->nfunctions ? naming_plain(&s->functions[frame])
	                                   : chains_frame_name(w->m, frame);
	const char *symbol = frame < s->nfunctions ? s->functions[frame].symbol : name;
	const char *file;
	unsigned line;

	perftools__profiles__function__init(f);
	f->id = id;
	f->name = pprof_text(w, name);
	f->system_name = strcmp(name, symbol) == 0 ? f->name : pprof_text(w, symbol);
	if (frame < s->nfunctions && where_function(w->m, frame, &file, &line)) {
		f->filename = pprof_text(w, file);
		f->start_line = line;
	}
	free(name);
	return f;
}

static uint64_t
function(struct pprof_places *w, uint32_t frame)
{
	Profile *p = w->p;

	if (w->functions[frame] != 0)
		return w->functions[frame];
	w->functions[frame] = p->n_function + 1;
	p->function = memory_grow(p->function, p->n_function, sizeof(Function *));
	p->function[p->n_function] = make_function(w, frame, w->functions[frame]);
	p->n_function++;
	return w->functions[frame];
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

static Location *
make_location(struct pprof_places *w, const struct pprof_frames *g, uint64_t id)
{
	Location *l = memory_array(1, sizeof(*l));

	perftools__profiles__location__init(l);
	l->id = id;
	if (g->pc != 0) {
		l->mapping_id = 1;
		l->address = g->pc;
	}
	l->n_line = g->n;
	l->line = memory_array(g->n, sizeof(Line *));
	for (size_t i = 0; i < g->n; i++) {
		l->line[i] = memory_array(1, sizeof(Line));
		perftools__profiles__line__init(l->line[i]);
		l->line[i]->function_id = function(w, g->frame[g->n - 1 - i]);
		l->line[i]->line = g->line[g->n - 1 - i];
	}
	return l;
}

static uint64_t
location_at(struct pprof_places *w, uint64_t *id, const struct pprof_frames *g)
{
	Profile *p = w->p;

	if (*id != 0)
		return *id;
	*id = p->n_location + 1;
	p->location = memory_grow(p->location, p->n_location, sizeof(Location *));
	p->location[p->n_location] = make_location(w, g, *id);
	p->n_location++;
	return *id;
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
