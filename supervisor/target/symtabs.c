/*
 * The tables of functions of the profiled executables, for --report, --top and call stacks.  A
 * helper process reads each file once, and writes a table (symread.c); few files are read at a
 * time, and what the tables take is bounded.
 *
 * A user's executables take no more than what they leave to others: neither of the readers, nor of
 * the number of tables and their bytes, can one user have all.
 *
 * SPDX-License-Identifier: ISC
 */
#include "target/target.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST_TABLES = 512, MOST_READERS = 4 };
/* Bytes of all tables together. */
enum { MOST_KEPT = 4 * SYMTAB_BYTES };
/* How long one file may take to be read, and how long we wait for all at the end. */
#define PATIENCE_NS (5 * NSEC)

enum reading { WAITING, READING, READ, FAILED };

struct wanted {
	struct wanted *next;
	struct image_id id;
	uid_t user; /* who has started the process that it was first wanted for */
	enum reading reading;
	int place, file; /* descriptors of the executable and of the table */
	bool with_rows;
	struct helper *reader;
	uint64_t until; /* when to give its reader up, ns */
	struct symtab *table;
};

/* What all have, or one user's. */
struct share {
	unsigned tables, readers;
	size_t bytes;
};

static struct wanted *all; /* the last one that was looked for is the first */
static unsigned unread;
static bool told;

static struct share
share_of(bool any, uid_t user)
{
	struct share s = { 0 };

	for (const struct wanted *w = all; w != NULL; w = w->next)
		if (any || w->user == user) {
			s.tables++;
			s.readers += w->reading == READING;
			s.bytes += w->table == NULL ? 0 : symtab_bytes(w->table);
		}
	return s;
}

/* Compares the file, too, since a build id is what a file claims. */
static struct wanted *
find(const struct image_id *id)
{
	struct wanted **at = &all, *w;

	while ((w = *at) != NULL && !(image_same(&w->id, id) && w->id.dev == id->dev &&
	                              w->id.ino == id->ino && w->id.size == id->size))
		at = &w->next;
	if (w != NULL) {
		*at = w->next;
		w->next = all;
		all = w;
	}
	return w;
}

/* What the reader is given. */
struct job {
	int place, file;
	bool with_rows;
};

static int
read_symbols(void *arg)
{
	const struct job *job = arg;
	const int exe = exe_open(job->place);

	return exe < 0 || priv_drop() < 0 ? -1 : symread(exe, job->file, job->with_rows);
}

static void
be_done(struct wanted *w, enum reading how)
{
	unread--;
	w->reading = how;
	close(w->place);
	close(w->file);
}

static void
start(struct wanted *w)
{
	const struct job job = { w->place, w->file, w->with_rows };

	w->reader = helper_begin(read_symbols, &job, sizeof(job), (int[]){ w->place, w->file }, 2);
	if (w->reader == NULL && errno == EAGAIN)
		return;
	if (w->reader == NULL) {
		be_done(w, FAILED);
		return;
	}
	w->reading = READING;
	w->until = clock_now() + PATIENCE_NS;
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

/* What one user, who has `own`, may still have: so much that others have as much left. */
static size_t
fair_rest(size_t own, size_t taken, size_t most)
{
	return own + taken < most ? most - taken - own : 0;
}

static void
take(struct wanted *w)
{
	const size_t taken = share_of(true, 0).bytes, own = share_of(false, w->user).bytes;

	w->table = symtab_map(w->file, fair_rest(own, taken, MOST_KEPT));
	if (w->table == NULL && errno == EFBIG)
		say_no_room();
	be_done(w, w->table == NULL ? FAILED : READ);
}

static void
look(struct wanted *w)
{
	struct job job;

	if (helper_end(w->reader, &job, sizeof(job), 0) == 0) {
		take(w);
	} else if (errno != EINPROGRESS) {
		be_done(w, FAILED);
	} else if (clock_now() >= w->until) {
		helper_leave(w->reader);
		be_done(w, FAILED);
	}
}

static bool
may_start(const struct wanted *w)
{
	return share_of(true, 0).readers < MOST_READERS &&
	       share_of(false, w->user).readers < MOST_READERS / 2;
}

/* Called now and then: takes tables that are done, and starts the next readers. */
void
symtabs_step(void)
{
	for (struct wanted *w = all; w != NULL && unread > 0; w = w->next) {
		if (w->reading == READING)
			look(w);
		if (w->reading == WAITING && may_start(w))
			start(w);
	}
}

static bool
has_room(uid_t user)
{
	const size_t own = share_of(false, user).tables;

	return fair_rest(own, share_of(true, user).tables, MOST_TABLES) > 0;
}

static struct wanted *
make(const struct profsup *ps, const struct proc *proc, uid_t user)
{
	struct wanted *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return NULL;
	w->id = proc->image.elf.id;
	w->with_rows = ps->opt.call_graph;
	w->user = user;
	w->place = exe_place(proc);
	w->file = w->place < 0 ? -1 : memfd_create("profsup", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (w->file >= 0)
		return w;
	if (w->place >= 0)
		close(w->place);
	free(w);
	return NULL;
}

/* Called while the process is stopped at its exec or in its profil call: /proc/PID/exe is its
 * image.  Does nothing in a run that needs no names. */
void
symtabs_want(const struct profsup *ps, const struct proc *proc)
{
	struct wanted *w;
	uid_t user;

	if (!ps->opt.report && !ps->opt.top && !ps->opt.call_graph)
		return;
	if (find(&proc->image.elf.id) != NULL)
		return;
	user = procfs_user(proc->pid);
	if (!has_room(user)) {
		say_no_room();
		return;
	}
	w = make(ps, proc, user);
	if (w == NULL)
		return;
	w->next = all;
	all = w;
	unread++;
	symtabs_step();
}

/* Whether the table is being read, or will be. */
bool
symtabs_is_awaited(const struct image_id *id)
{
	const struct wanted *w;

	symtabs_step();
	w = find(id);
	return w != NULL && (w->reading == WAITING || w->reading == READING);
}

/* Returns NULL if the table is not known, or not yet. */
const struct symtab *
symtabs_find(const struct image_id *id)
{
	const struct wanted *w;

	symtabs_step();
	w = find(id);
	return w == NULL ? NULL : w->table;
}

/* Waits for all tables that are being read, PATIENCE_NS at the most. */
void
symtabs_wait(void)
{
	const struct timespec moment = { .tv_nsec = NSEC / 500 };
	const uint64_t until = clock_now() + PATIENCE_NS;

	for (symtabs_step(); unread > 0 && clock_now() < until; symtabs_step())
		nanosleep(&moment, NULL);
}
