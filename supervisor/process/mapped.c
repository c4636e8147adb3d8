/*
 * The code that a process has mapped, and how to walk through it.  The mappings are read when an
 * address is met that is not in them, and not too often.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"

#include "share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Reading the mappings of a process takes no more than 1 / SHARE of our time, and is done once in
 * REST_SPACE_NS at the most. */
enum { SHARE = 50 };
/* Those of all take no more than 1 / ALL_SHARE: what has been used is forgotten, a part of PARTS
 * after each PERIOD_NS, so that in any second there can be about MOST_SPENT. */
enum { ALL_SHARE = 20, PARTS = 10, MOST_SPENT = NSEC / ALL_SHARE };
#define PERIOD_NS (NSEC / PARTS)
/* So many files that there is no room for are tried in one reading. */
enum { MOST_REFUSED = 64 };
/* Of so many files it is looked up in one reading which version they are. */
enum { MOST_LOOKED_UP = 256 };
#define REST_SPACE_NS (NSEC / 100)
/* Where nobody tells us that a file has taken another's place, they are read so often, and for no
 * more than 1 / LOOK_SHARE of our time. */
#define LOOK_NS (NSEC / 10)
enum { LOOK_SHARE = 1000 };
/* Code of no file has its addresses in the process. */
#define NO_OFFSET UINT64_MAX

static struct spent all;
static uint64_t total; /* of which nothing is forgotten, ns */

static void
forget(struct spent *s, uint64_t now)
{
	const uint64_t period = now / PERIOD_NS;

	for (; s->period < period && s->ns >= PARTS; s->period++)
		s->ns -= s->ns / PARTS;
	s->period = period;
}

/* Whether time may be used for a process's mappings.  Those for which least was used lately are
 * the first that may have more. */
static bool
may_spend(struct proc *proc)
{
	const uint64_t now = clock_now();

	forget(&all, now);
	forget(&proc->vm.spent, now);
	return share_left(proc->vm.spent.ns, all.ns, MOST_SPENT) > 0;
}

static void
spend(struct proc *proc, uint64_t ns)
{
	proc->vm.spent.ns += ns;
	all.ns += ns;
}

/* Called after a reading.  What the last one has used was spent when it began, since many can begin
 * at once. */
static void
spend_rest(struct proc *proc, uint64_t ns)
{
	const uint64_t last = proc->vm.spent.last;

	spend(proc, ns > last ? ns - last : 0);
	proc->vm.spent.last = ns;
	total += ns;
}

/* Gives the process another space, with what is known of each piece by now. */
static void
put(struct proc *proc, struct space *s)
{
	const struct image_id *program = &proc->image.elf.id;

	s->serial = objects_serial();
	s->awaits = false;
	for (size_t i = 0; i < s->n; i++) {
		struct unwind_code *c = &s->code[i];
		const struct symtab *t = objects_table(program, c->object);

		c->awaited = objects_is_awaited(proc, c->object);
		s->awaits |= c->awaited;
		if (c->object == OBJECT_PROGRAM)
			c->bias = proc->profile->counts.bias;
		else if (c->file.offset != NO_OFFSET)
			c->bias = c->low - symtab_address(t, c->file.offset);
		symtab_unwind(t, c);
	}
	space_drop(proc->vm.space);
	proc->vm.space = s;
}

/* Whether a piece is the profiled program's own text. */
static bool
is_program(const struct proc *proc, const struct code_map *map)
{
	const struct counts *c = &proc->profile->counts;

	return map->low < c->high_pc && map->high > c->low_pc;
}

/* Many mappings are of the same file as the one before. */
static void
note_versions(const struct proc *proc, struct code_maps *maps)
{
	const int root = procfs_open(proc->pid, "root", O_PATH | O_DIRECTORY);
	unsigned looked = 0;

	for (size_t i = 0; i < maps->n; i++) {
		struct code_map *map = &maps->map[i];

		if (i > 0 && strcmp(map->path, map[-1].path) == 0 && map->ino == map[-1].ino &&
		    map->dev == map[-1].dev)
			map->version = map[-1].version;
		else if (!is_program(proc, map) && looked++ < MOST_LOOKED_UP)
			objfile_note_version(map, root);
	}
	fds_close(root);
}

static void
take(const struct profsup *ps, const struct proc *proc, struct space *s,
     const struct code_maps *maps)
{
	const struct objects_for whom = { procfs_user(proc->pid, NULL), exe_owner(ps, proc) };
	uint32_t made = OBJECT_NO_FILE;
	unsigned refused = 0;

	for (size_t i = 0; i < maps->n; i++) {
		const struct code_map *map = &maps->map[i];
		uint32_t object = OBJECT_NO_FILE;

		/* They come in order, unless they have changed while they were read. */
		if (s->n > 0 && map->low < s->code[s->n - 1].high)
			continue;
		if (is_program(proc, map))
			object = OBJECT_PROGRAM;
		else if (map->path[0] == '\0')
			object = made = s->made ? made : objects_note_made(proc, whom);
		else if (refused < MOST_REFUSED)
			refused += (object = objects_note_mapped(whom, map)) == OBJECT_NO_FILE;
		s->made |= map->path[0] == '\0';
		s->code[s->n++] = (struct unwind_code){
			.low = map->low,
			.high = map->high,
			.object = object,
			.file = { map->dev, map->ino,
			          map->path[0] == '\0' ? NO_OFFSET : map->offset },
		};
	}
}

/* Whether it is time to read the mappings, or they are being read. */
static bool
is_due(struct proc *proc)
{
	const struct space *s = proc->vm.space;

	if (proc->vm.mapping != NULL)
		return true;
	if ((s != NULL && clock_now() < s->again_at) || !may_spend(proc))
		return false;
	spend(proc, proc->vm.spent.last);
	return true;
}

/* Makes a space of mappings.  Returns whether it has. */
static bool
renew(const struct profsup *ps, struct proc *proc, struct code_maps *maps)
{
	struct space *s = space_new(maps->n);

	if (s == NULL)
		return false;
	s->read_at = proc->vm.maps_at;
	proc->profile->walked = 0; /* what waits for mappings is tried again */
	note_versions(proc, maps);
	take(ps, proc, s, maps);
	put(proc, s);
	return true;
}

/* Reads the mappings again, if they may have changed and it is time to, or if it is known that they
 * have `changed`.  Returns whether it has. */
bool
mapped_renew(const struct profsup *ps, struct proc *proc, bool changed)
{
	struct code_maps maps = { 0 };
	bool renewed = false;
	uint64_t began, rest;

	if (changed)
		proc->vm.space->again_at = 0;
	if (!is_due(proc))
		return false;
	began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	if (proc->vm.mapping == NULL)
		proc->vm.maps_at = clock_now();
	if (mem_maps(proc, &maps) == 0)
		renewed = renew(ps, proc, &maps);
	else
		proc->vm.no_maps = errno != ETIMEDOUT;
	if (proc->vm.mapping == NULL)
		spend_rest(proc, clock_ns(CLOCK_THREAD_CPUTIME_ID) - began + maps.cpu);
	maps_free(&maps);
	rest = proc->vm.spent.last * SHARE;
	if (renewed)
		proc->vm.space->again_at =
		    clock_now() + (rest > REST_SPACE_NS ? rest : REST_SPACE_NS);
	return renewed;
}

/* Makes the same space anew, with the tables that have come since. */
static struct space *
refresh(struct proc *proc)
{
	const struct space *old = proc->vm.space;
	const uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct space *s = may_spend(proc) ? space_new(old->n) : NULL;
	uint64_t took;

	if (s == NULL)
		return proc->vm.space;
	*s = *old;
	s->refs = 1;
	memcpy(s->code, old->code, old->n * sizeof(old->code[0]));
	put(proc, s);
	took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
	spend(proc, took);
	total += took;
	return s;
}

static bool
is_old(const struct proc *proc)
{
	const uint64_t share = proc->vm.spent.last * LOOK_SHARE;

	return clock_now() - proc->vm.space->read_at > (share > LOOK_NS ? share : LOOK_NS);
}

/* Returns what is known of a profiled process's code; NULL: nothing, or not yet.  `untold`: the
 * caller can't find out whether it has changed. */
struct space *
mapped_space(const struct profsup *ps, struct proc *proc, bool untold)
{
	if ((proc->vm.space == NULL || (untold && is_old(proc))) &&
	    !mapped_renew(ps, proc, false) && proc->vm.space == NULL)
		return NULL;
	if (proc->vm.space->awaits && proc->vm.space->serial != objects_serial())
		return refresh(proc);
	return proc->vm.space;
}

/* Gives a process what is known of its parent's code.  Of code that the parent has made it may have
 * names of its own. */
void
mapped_fork(struct proc *proc, const struct proc *parent)
{
	struct space *s = parent->vm.space;

	if (proc->vm.memory != NULL && s != NULL && !s->made)
		proc->vm.space = space_share(s);
	proc->vm.spent = parent->vm.spent; /* or its share would be that of all its forks */
}

/* Called when the process has another image, or is gone. */
void
mapped_forget(struct proc *proc)
{
	space_drop(proc->vm.space);
	proc->vm.space = NULL;
	proc->vm.spent.last = 0;
	proc->vm.no_maps = false;
}

/* Returns when the process's mappings were last read, ns; UINT64_MAX: they will not be read again.
 */
uint64_t
mapped_at(const struct proc *proc)
{
	if (proc->vm.no_maps || proc->end.late)
		return UINT64_MAX;
	return proc->vm.space == NULL ? 0 : proc->vm.space->read_at;
}

/* Returns the CPU time that the mappings of all processes have taken, ns. */
uint64_t
mapped_cpu(void)
{
	return total;
}

/* Has the table made that a stack waits for; without a stack, those of all that the process has
 * mapped, while it is there to be asked for it. */
void
mapped_ask(const struct profsup *ps, struct proc *proc, const struct stack *stack)
{
	const uint32_t object =
	    stack == NULL ? OBJECT_PROGRAM : frame_object(stack->frame[stack->n - 1]);
	const struct space *s = proc->vm.space;

	if (object == OBJECT_PROGRAM && !proc->image.asked)
		objects_ask_program(ps, proc);
	for (size_t i = 0; s != NULL && i < s->n; i++) {
		const struct unwind_code *c = &s->code[i];

		if (stack == NULL || c->object == object)
			objects_ask_mapped(proc, c->object, c->low, c->high);
	}
}
