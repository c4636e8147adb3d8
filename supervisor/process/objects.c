/*
 * The files that have the code which a run's processes execute: programs, shared libraries, and the
 * kernel's vdso.  Each has a table of its functions and of the rows for call stacks, which a
 * process makes of the file (tools/code/) when something of it is wanted, and not before; few files
 * are read at a time, and what the tables take is bounded.
 *
 * A user's files take no more than what they leave to others: neither of the readers, nor of the
 * number of objects and their bytes, can one user have all.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"

#include "share.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST_OBJECTS = 1024, MOST_READERS = 4 };
/* Processes that have made code of their own: many may, and they take no room from files. */
enum { MOST_MADE = 1024 };
/* Versions of a file: one that is written all the time must not have room for more. */
enum { MOST_VERSIONS = 8 };
/* Bytes of all tables together. */
enum { MOST_KEPT = 4 * CODETABLE_BYTES };
/* CPU time that one file may take to be read, and that all may take at the end while we wait; and
 * how long a reader may get nowhere: it may wait for a file that never comes, or for a CPU. */
#define MOST_CPU_NS (10 * NSEC)
#define LAST_CPU_NS (5 * NSEC)
#define PATIENCE_NS (5 * NSEC)
/* CPU time that gets a reader on: more than it takes to come to a file that never answers. */
#define STEP_NS (NSEC / 200)
/* How long we wait at the end, at the most. */
#define LAST_NS (60 * NSEC)

enum reading { UNASKED, WAITING, READING, READ, FAILED };

struct object {
	struct object *next;
	uint32_t number; /* OBJECT_PROGRAM: it is only known as a program */
	struct image_id id;
	uid_t user; /* who has started the process that it was first seen in */
	enum reading reading;
	struct objfile at;
	struct symtab_place table_at; /* while it is made */
	struct helper *reader;
	uint64_t cpu;   /* CPU time that its reader has used, as last seen, ns */
	uint64_t until; /* when to give its reader up, if it has used no more by then, ns */
	struct symtab *table;
};

/* What all have, or one user's. */
struct share {
	unsigned objects, made;
	size_t bytes;
};

static struct object *all; /* the last one that was looked for is the first */
static struct object *numbered[MOST_OBJECTS + MOST_MADE];
static uint32_t numbers = OBJECTS_OF_RUN;
static unsigned unread, serial;
static const struct object *being_read[MOST_READERS];
static bool told;
static uint64_t readers_cpu; /* CPU time that all readers have used, as far as seen, ns */
static uint64_t got_on_at;   /* when one of them last got on, ns */

static bool
is_made(const char *path)
{
	return strcmp(path, OBJFILE_MADE) == 0;
}

static struct share
share_of(bool any, uid_t user)
{
	struct share s = { 0 };

	for (const struct object *o = all; o != NULL; o = o->next)
		if (any || o->user == user) {
			s.objects += !is_made(o->at.path);
			s.made += is_made(o->at.path);
			s.bytes += o->table == NULL ? 0 : symtab_bytes(o->table);
		}
	return s;
}

static void
to_front(struct object **at)
{
	struct object *o = *at;

	*at = o->next;
	o->next = all;
	all = o;
}

/* Returns where it is among those that are being read: NULL is so as often as there is room. */
static const struct object **
reader_of(const struct object *o)
{
	for (size_t i = 0; i < MOST_READERS; i++)
		if (being_read[i] == o)
			return &being_read[i];
	return NULL;
}

static struct object *
find_program(const struct image_id *id)
{
	struct object **at = &all, *o;

	while ((o = *at) != NULL && (o->number != OBJECT_PROGRAM || !image_same_file(&o->id, id) ||
	                             o->id.owner != id->owner))
		at = &o->next;
	if (o != NULL)
		to_front(at);
	return o;
}

/* A user's lies about a file are no other user's: each has an object of his own. */
static bool
is_of_file(const struct object *o, const struct code_map *map, struct objects_for whom)
{
	return o->number != OBJECT_PROGRAM && o->user == whom.user && o->at.owner == whom.owner &&
	       o->at.dev == map->dev && o->at.ino == map->ino && strcmp(o->at.path, map->path) == 0;
}

/* Whether they may be the same version: none is known of a file that can't be found. */
static bool
may_be_same(const struct file_version *a, const struct file_version *b)
{
	return a->changed == 0 || b->changed == 0 ||
	       (a->size == b->size && a->changed == b->changed && a->made == b->made);
}

static struct object *
find_mapped(const struct code_map *map, struct objects_for whom)
{
	struct object **at = &all, *o;
	unsigned versions = 0;

	while ((o = *at) != NULL &&
	       !(is_of_file(o, map, whom) &&
	         (may_be_same(&o->at.version, &map->version) || ++versions == MOST_VERSIONS)))
		at = &o->next;
	if (o != NULL)
		to_front(at);
	return o;
}

static struct object *
find_number(uint32_t number)
{
	return number < OBJECTS_OF_RUN || number >= numbers ? NULL
	                                                    : numbered[number - OBJECTS_OF_RUN];
}

/* Finds a numbered object, or the program of that id. */
static struct object *
find_any(const struct image_id *program, uint32_t number)
{
	return number == OBJECT_PROGRAM ? find_program(program) : find_number(number);
}

/* What the reader is given. */
struct job {
	struct objfile at;
	struct symtab_place table_at;
};
_Static_assert(sizeof(struct job) <= HELPER_BYTES, "a helper takes no more");

/* Runs in a helper process. */
static int
make_table(void *arg)
{
	struct job *job = arg;
	struct image_id *id = &job->table_at.id;
	bool readable;
	int file, debug;

	if (is_made(job->at.path)) {
		file = objfile_map(&job->at);
		return file < 0 ? -1 : readcode("map", file, -1, &job->table_at);
	}
	file = objfile_open(&job->at, &readable);
	if (file < 0 || objfile_identify(file, id) < 0)
		return -1;
	debug = readable ? objfile_debug(id, job->at.owner) : -1;
	return readcode(readable ? "all" : "rows", file, debug, &job->table_at);
}

static void
be_done(struct object *o, enum reading how)
{
	const struct object **reader = o->reading == READING ? reader_of(o) : NULL;

	if (reader != NULL)
		*reader = NULL;
	unread--;
	serial++;
	o->reading = how;
	fds_close(o->at.place);
	o->at.place = -1;
	symtab_leave(&o->table_at);
}

static void
start(struct object *o)
{
	const int keep[] = { readcode_program(), o->at.place };
	struct job job = { .at = o->at };

	if (symtab_place(&o->table_at) < 0) {
		be_done(o, FAILED);
		return;
	}
	job.table_at = o->table_at;
	o->reader =
	    helper_begin(o->user, make_table, &job, sizeof(job), keep, o->at.place < 0 ? 1 : 2);
	if (o->reader == NULL && errno == EAGAIN) {
		symtab_leave(&o->table_at);
		return;
	}
	if (o->reader == NULL) {
		be_done(o, FAILED);
		return;
	}
	o->reading = READING;
	*reader_of(NULL) = o;
	o->cpu = 0;
	o->until = clock_now() + PATIENCE_NS;
}

/* On a crowded machine a reader gets a CPU now and then.  Whether it is to go on. */
static bool
gets_on(struct object *o)
{
	const uint64_t cpu = helper_cpu(o->reader), now = clock_now();

	if (cpu >= o->cpu + STEP_NS) {
		readers_cpu += cpu - o->cpu;
		o->cpu = cpu;
		o->until = now + PATIENCE_NS;
		got_on_at = now;
	}
	return now < o->until && cpu < MOST_CPU_NS;
}

/* Prints, once in a run. */
static void
say_no_room(void)
{
	if (!told)
		log_notice("there are too many executables, or they are too large: the functions "
		           "of some are not known");
	told = true;
}

/* Of a file that libelf takes for one read-code writes a table, and be it an empty one.  Prints,
 * once in a run. */
static void
say_not_read(void)
{
	static bool said;

	if (!said)
		log_notice("read-code has written nothing: some functions and callers are not "
		           "known (can it be run by hand?)");
	said = true;
}

static void
take(struct object *o)
{
	const size_t taken = share_of(true, 0).bytes, own = share_of(false, o->user).bytes;

	o->table = symtab_take(&o->table_at, share_left(own, taken, MOST_KEPT));
	if (o->table == NULL && errno == EFBIG)
		say_no_room();
	else if (o->table == NULL && o->table_at.used == 0)
		say_not_read();
	be_done(o, o->table == NULL ? FAILED : READ);
}

static void
look(struct object *o)
{
	struct job job;

	if (helper_end(o->reader, &job, sizeof(job), 0) == 0) {
		o->table_at.used = job.table_at.used;
		o->table_at.id = job.table_at.id;
		take(o);
	} else if (errno != ETIMEDOUT) {
		be_done(o, FAILED);
	} else if (!gets_on(o)) {
		helper_leave(o->reader);
		be_done(o, FAILED);
	}
}

static bool
may_start(const struct object *o)
{
	unsigned own = 0;

	for (size_t i = 0; i < MOST_READERS; i++)
		own += being_read[i] != NULL && being_read[i]->user == o->user;
	return own < MOST_READERS / 2 && reader_of(NULL) != NULL;
}

/* Called now and then: takes tables that are done, and starts the next readers. */
void
objects_step(void)
{
	for (struct object *o = all; o != NULL && unread > 0; o = o->next) {
		if (o->reading == READING)
			look(o);
		if (o->reading != WAITING || !may_start(o))
			continue;
		if (helper_has_room(o->user))
			start(o);
		else if (helper_is_stuck(o->user))
			be_done(o, FAILED);
	}
}

/* Changes whenever a table is there, or will never be. */
unsigned
objects_serial(void)
{
	objects_step();
	return serial;
}

static struct object *
make(struct objects_for whom, bool made)
{
	const struct share own = share_of(false, whom.user), taken = share_of(true, whom.user);
	struct object *o = NULL;

	if (made ? share_left(own.made, taken.made, MOST_MADE) > 0
	         : share_left(own.objects, taken.objects, MOST_OBJECTS) > 0)
		o = calloc(1, sizeof(*o));
	else if (!made)
		say_no_room();
	if (o == NULL)
		return NULL;
	o->user = whom.user;
	o->at.owner = whom.owner;
	o->at.place = -1;
	o->next = all;
	all = o;
	return o;
}

/* Has a table made, which takes a while.  `place` is the file's, or -1. */
static void
ask(struct object *o, int place)
{
	o->at.place = place;
	unread++;
	o->reading = WAITING;
	objects_step();
}

/* Has the table of a process's program made, while its id is known to be its own: it is stopped, or
 * was found to be ours a moment ago. */
void
objects_ask_program(const struct profsup *ps, struct proc *proc)
{
	const struct objects_for whom = { procfs_user(proc->pid, NULL), exe_owner(ps, proc) };
	struct object *o;
	int place;

	proc->image.elf.id.owner = whom.owner;
	place = find_program(&proc->image.elf.id) != NULL ? -1 : exe_place(proc);
	o = place < 0 ? NULL : make(whom, false);
	if (o != NULL) {
		o->id = proc->image.elf.id;
		ask(o, place);
	} else if (place >= 0) {
		close(place);
	}
	proc->image.asked = true;
	serial++; /* if there is no room, nobody waits for it */
}

/* With call stacks the table is made when there is a sample. */
void
objects_note_program(const struct profsup *ps, struct proc *proc)
{
	const unsigned owner = exe_owner(ps, proc);

	/* It may have become another user's since its exec, who may not have that one's table. */
	if (proc->image.asked && ps->opt.call_graph && proc->image.elf.id.owner != owner) {
		proc->image.asked = false;
		proc->image.elf.id.owner = owner;
	}
}

/* Returns the number of the file that a process of that user's has mapped; OBJECT_NO_FILE: there is
 * no room for it. */
uint32_t
objects_note_mapped(struct objects_for whom, const struct code_map *map)
{
	struct object *o = find_mapped(map, whom);

	if (o != NULL)
		return o->number;
	o = make(whom, is_made(map->path));
	if (o == NULL)
		return OBJECT_NO_FILE;
	o->at.dev = map->dev;
	o->at.ino = map->ino;
	o->at.version = map->version;
	snprintf(o->at.path, sizeof(o->at.path), "%s", map->path);
	numbered[numbers - OBJECTS_OF_RUN] = o;
	return o->number = numbers++;
}

/* Has the table made of a file that a process has mapped from `low` to `high`. */
void
objects_ask_mapped(const struct proc *proc, uint32_t number, uint64_t low, uint64_t high)
{
	struct object *o = find_number(number);

	if (o == NULL || o->reading != UNASKED)
		return;
	o->at.pid = proc->pid;
	o->at.low = low;
	o->at.high = high;
	ask(o, strcmp(o->at.path, MAPS_VDSO) == 0 ? objfile_vdso() : -1);
}

/* Returns the number that stands for code which a process has made itself; OBJECT_NO_FILE: there is
 * no room for it. */
uint32_t
objects_note_made(const struct proc *proc, struct objects_for whom)
{
	struct code_map map = { .ino = (ino_t)proc->vm.number, .path = (char[]){ OBJFILE_MADE } };

	return objects_note_mapped(whom, &map);
}

static struct object *
find_made(const struct proc *proc)
{
	struct object *o = all;

	/* Its user may have changed. */
	while (o != NULL && (o->number == OBJECT_PROGRAM || o->at.ino != (ino_t)proc->vm.number ||
	                     !is_made(o->at.path)))
		o = o->next;
	return o;
}

/* Has the table made of such code, at the process's end: until then the process adds to it. */
void
objects_ask_made(const struct proc *proc)
{
	struct object *o = find_made(proc);

	if (o != NULL && o->reading == UNASKED)
		ask(o, objfile_note_map(&o->at, proc->pid) < 0 ? -1 : exe_open(proc, "root"));
}

/* Whether that table is still being made. */
bool
objects_is_made_awaited(const struct proc *proc)
{
	const struct object *o = find_made(proc);

	return o != NULL && (o->reading == WAITING || o->reading == READING);
}

/* Whether a program's table is being made, or can be. */
bool
objects_is_awaited(const struct proc *proc, uint32_t number)
{
	const struct object *o = find_any(&proc->image.elf.id, number);

	if (o == NULL)
		return number == OBJECT_PROGRAM && !proc->image.asked;
	return o->reading < READ && !is_made(o->at.path);
}

/* Returns NULL if the table is not known, or not yet. */
const struct symtab *
objects_table(const struct image_id *program, uint32_t number)
{
	const struct object *o = find_any(program, number);

	return o == NULL ? NULL : o->table;
}

/* Returns the file's path as the kernel has told it; NULL: it is a program's, or there is none. */
const char *
objects_path(uint32_t number)
{
	const struct object *o = find_number(number);

	return o == NULL ? NULL : o->at.path;
}

/* Whether those that wait at the end for tables have waited long enough. */
static bool
is_enough(uint64_t began, uint64_t cpu)
{
	const uint64_t now = clock_now(), last = got_on_at > began ? got_on_at : began;

	return now - last >= PATIENCE_NS || now - began >= LAST_NS ||
	       readers_cpu - cpu >= LAST_CPU_NS;
}

/* Waits for all tables that are being read: as long as that takes a CPU, not a crowd of others.
 * Returns whether any have come. */
bool
objects_wait(void)
{
	const unsigned before = serial;
	const struct timespec moment = { .tv_nsec = NSEC / 500 };
	const uint64_t began = clock_now(), cpu = readers_cpu;

	for (objects_step(); unread > 0 && !is_enough(began, cpu); objects_step())
		nanosleep(&moment, NULL);
	return serial != before;
}
