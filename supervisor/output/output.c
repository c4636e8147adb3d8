/*
 * Files are made by a worker thread, which is cheap; where a file system may hang, a disk keeps us
 * waiting, or encoding takes long, by a helper process.  Where no more of these are to be had, a
 * file for a disk waits for one.  A failure is one line, leaves nothing behind and stops nothing
 * else.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/file.h"

#include "stackfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A file that is being made by a worker thread or by a helper process, which may encode it, too; or
 * that waits for one of them, while it has neither. */
struct pending {
	struct pending *next;
	struct helper *helper; /* NULL: none has it */
	struct memjob *thread; /* NULL: none has it, or it is done */
	unsigned number;
	bool given_up;         /* and the thread is still there */
	bool on_disk;          /* its file system is not one that may hang */
	uint64_t since, until; /* when it was begun, and when to give it up, ns */
	struct job job;
	struct job made; /* the thread's */
	const struct identity *id;
	struct buffer data, stacks; /* encoded */
	int error;                  /* what came of it in the thread */
	struct output output;       /* its `what` may be gone; its `place` is ours, too */
};

static struct pending *pending;

/* How long a file may take to be made: where a file system may hang, and elsewhere, where a disk
 * may be slow, or be frozen for a while.  A file with MANY_ARCS, MANY_FRAMES, or MANY_BINS or as
 * many samples that have a time, is made by a helper process, since that takes long. */
#define PATIENCE_NS (3 * NSEC)
#define LONG_NS     (60 * NSEC)
/* How long others wait for a file: its process's end, so that who waits for that finds the file. */
#define HELD_UP_NS NSEC
enum { MANY_ARCS = 1 << 14, MANY_FRAMES = 1 << 10, MANY_BINS = 1 << 13 };
/* So many files may wait, in some 64 KiB each. */
enum { MOST_WAITING = 256 };

/* Gives no advice for errors of our own, which are the same in any directory. */
static const char *
advice(const struct profsup *ps, int error)
{
	const bool is_ours =
	    error == ENOMEM || error == EMFILE || error == ENFILE || error == EAGAIN;

	if (error == EFBIG)
		return " (see ulimit -H -f)";
	if (error == EMFILE)
		return diagnose_read(error);
	return is_ours || ps->outdir >= 0 ? "" : " (try -d)";
}

/* Says why there is no file.  `id`: as whom we can't act; NULL: it is not that. */
static void
say_lost(const struct profsup *ps, const char *where, const char *name, int error,
         const struct identity *id)
{
	char path[WRITTEN_PATH];

	written_path(where, name, path);
	errno = error;
	if (id != NULL)
		log_error("%s: can't act as uid %u, gid %u: %m (try -d)", path, id->uid, id->gid);
	else
		log_error("%s: %m%s", path, advice(ps, error));
}

static const struct identity *
owner_of(const struct profsup *ps, const struct place *place)
{
	return ps->outdir >= 0 ? &ps->caller : &place->id;
}

/* Ends the making of a file of stacks.  Prints. */
static void
finish_stacks(struct profsup *ps, const struct output *o, const struct job *job, const char *where)
{
	char name[NAME_MAX + 1];

	stackfile_name(job->name, name, sizeof(name));
	if (job->stacks_error != 0) {
		say_lost(ps, where, name, job->stacks_error, NULL);
		return;
	}
	ps->written.stacks += !o->replaces;
	log_verbose("wrote %s", name);
}

static void
note_file(struct profsup *ps, const struct output *o, const struct job *job, const char *where)
{
	written_add(&ps->written, where, job->name, o->place->name, o->place->path, job->ticks);
	/* A snapshot is no part of what its process leaves, but for --intervals. */
	if (o->snapshot == 0 || ps->opt.intervals)
		view_add(o->place->path, where, job->name);
}

/* Ends the making of a file.  Prints why there is none. */
static void
finish(struct profsup *ps, const struct output *o, const struct job *job, int error)
{
	const char *name = job->name;
	char where[WRITTEN_MOST];

	written_where(job->dir, where);
	if (error != 0)
		say_lost(ps, where, name, error, job->not_owner ? owner_of(ps, o->place) : NULL);
	else if (!o->replaces)
		note_file(ps, o, job, where);
	else
		written_ticks(&ps->written, where, name, o->place->name, o->place->path,
		              job->ticks);
	if (error == 0 && job->has_stacks)
		finish_stacks(ps, o, job, where);
	/* The name may not be used for another try if another file has it, or if a helper process
	 * that is late may still give it to its file. */
	if (o->done != NULL)
		o->done(ps, o->arg, error != EEXIST && error != ETIMEDOUT ? name : NULL,
		        error == 0);
	else if (error == 0)
		log_verbose("wrote %s", name);
}

static bool
may_hang(const struct profsup *ps, const struct place *place)
{
	return ps->outdir >= 0 ? ps->outdir_may_hang : place->may_hang;
}

static bool
is_dear(const struct profsup *ps, const struct output *o)
{
	return may_hang(ps, o->place) || o->what->arcs.n > MANY_ARCS ||
	       HASH_COUNT(o->what->hist.bins) > MANY_BINS ||
	       HASH_COUNT(o->what->stacks.nodes) > MANY_FRAMES ||
	       o->what->stacks.timeline.n > MANY_BINS;
}

/* Whether a file waits for a thread or a helper. */
static bool
is_waiting(const struct pending *p)
{
	return p->thread == NULL && p->helper == NULL;
}

/* Whether a disk keeps us waiting, as one that is frozen does. */
static bool
is_disk_stuck(void)
{
	const uint64_t now = clock_now();

	for (const struct pending *p = pending; p != NULL; p = p->next)
		if (p->on_disk && !is_waiting(p) && now - p->since > HELD_UP_NS)
			return true;
	return false;
}

static void
pending_begin(struct pending *p)
{
	p->since = clock_now();
	p->until = p->since + (p->on_disk ? LONG_NS : PATIENCE_NS);
}

static struct pending *
pending_new(const struct profsup *ps, const struct output *o, const struct job *job)
{
	struct pending *p = malloc(sizeof(*p));

	if (p == NULL)
		return NULL;
	*p = (struct pending){ .job = *job, .output = *o, .on_disk = !may_hang(ps, o->place) };
	pending_begin(p);
	place_share(o->place);
	p->id = owner_of(ps, o->place);
	return p;
}

static void
pending_free(struct pending *p)
{
	place_drop(p->output.place);
	buffer_free(&p->data);
	buffer_free(&p->stacks);
	free(p);
}

/* False: no memory. */
static bool
encode(struct pending *p)
{
	if (p->job.data == NULL && file_encode(&p->job, &p->data, &p->stacks) < 0)
		return false;
	p->job.data = &p->data;
	p->job.stacks = &p->stacks;
	return true;
}

static void
make_files_as_owner(struct pending *p)
{
	p->made.not_owner = priv_become(p->id) < 0;
	if (p->made.not_owner) {
		p->error = errno;
		return;
	}
	p->error = file_make(&p->made, &p->data, &p->stacks) < 0 ? errno : 0;
	priv_return();
}

/* Runs in a worker thread. */
static void
make_in_thread(struct memjob *m)
{
	make_files_as_owner(m->arg);
}

/* Called when the thread is done.  The descriptor to spare is not a thread's to take. */
static int
thread_end(struct pending *p)
{
	if (p->error == EMFILE)
		make_files_as_owner(p);
	p->job = p->made;
	return p->error;
}

/* Has a worker thread make the file, which is encoded.  False: there is none.  The thread is done
 * if p->thread is NULL. */
static bool
begin_in_thread(struct pending *p)
{
	struct memjob *m = memjob_new(NULL, NSEC / 1000);

	if (m == NULL)
		return false;
	pending_begin(p);
	p->made = p->job;
	m->work = make_in_thread;
	m->arg = p;
	m->wait = NSEC / 100;
	memjob_run(m, &p->thread);
	return true;
}

/* Has a helper process make the file.  False with errno: there is none, or it can't be its owner.
 */
static bool
begin_in_helper(struct pending *p)
{
	int saved;

	_Static_assert(sizeof(p->job) <= HELPER_BYTES, "a helper gets it");
	p->job.not_owner = priv_become(p->id) < 0;
	if (p->job.not_owner)
		return false;
	p->helper = helper_begin(p->id->user, file_encode_and_make, &p->job, sizeof(p->job),
	                         &p->job.dir, 1);
	saved = errno;
	priv_return();
	errno = saved;
	if (p->helper == NULL)
		return false;
	pending_begin(p);
	return true;
}

/* Has the file wait for a thread or a helper.  False with errno: it can't, or that would not help.
 */
static bool
begin_to_wait(struct pending *p)
{
	unsigned n = 0;

	if (p->job.not_owner || !p->on_disk)
		return false;
	errno = EAGAIN;
	for (const struct pending *other = pending; other != NULL; other = other->next)
		n += is_waiting(other);
	return n < MOST_WAITING && encode(p);
}

/* Whether one more file can be begun now.  That of a disk needs no helper. */
bool
output_has_room(const struct profsup *ps, const struct place *place)
{
	return !may_hang(ps, place) || helper_has_room(owner_of(ps, place)->user);
}

/* Whether a process's end waits for its file. */
bool
output_holds_up(unsigned number)
{
	for (const struct pending *p = pending; p != NULL; p = p->next)
		if (p->number == number)
			return !is_disk_stuck();
	return false;
}

/* Begins to make the file.  Returns what output_write() does. */
static unsigned
begin(struct profsup *ps, const struct output *o, const struct job *job)
{
	static unsigned number;
	struct pending *p = pending_new(ps, o, job);
	int error = ENOMEM;

	if (p != NULL && !is_dear(ps, o) && !is_disk_stuck() && encode(p) && begin_in_thread(p) &&
	    p->thread == NULL) {
		error = thread_end(p);
	} else if (p != NULL && (p->thread != NULL || begin_in_helper(p) || begin_to_wait(p))) {
		p->number = ++number;
		p->next = pending;
		pending = p;
		return p->on_disk ? p->number : 0;
	} else if (p != NULL) {
		error = errno;
	}
	finish(ps, o, p != NULL ? &p->job : job, error);
	if (p != NULL)
		pending_free(p);
	return 0;
}

/* Writes a file.  o->done() is called when it is there, or has failed: at once, or by
 * output_step().  Returns a number for output_holds_up(). */
unsigned
output_write(struct profsup *ps, const struct output *o)
{
	const struct template_values values = { o->place->name, ps->host,   o->pid,
		                                o->parent,      o->started, o->snapshot };
	struct job job = { .what = o->what,
		           .program = o->place->name,
		           .image = o->image,
		           .has_stacks = ps->opt.call_graph,
		           .hz = ps->opt.hz,
		           .run = ps->began,
		           .ticks = counts_ticks(o->what),
		           .dir = ps->outdir >= 0 ? ps->outdir : o->place->dirfd,
		           .random = (unsigned long)random(),
		           .replaces = o->replaces };

	if (o->called != NULL)
		snprintf(job.name, sizeof(job.name), "%s", o->called);
	else
		names_reserve(job.dir, ps->opt.template, &values, job.name, sizeof(job.name));
	return begin(ps, o, &job);
}

enum { UNDER_WAY = -1 };

/* Returns 0 if the file is there, errno if there is none, or UNDER_WAY.  *room: one that waits may
 * find a thread or helper. */
static int
look(struct pending *p, bool *room)
{
	struct job made;

	if (is_waiting(p) && *room) {
		*room = (!is_disk_stuck() && begin_in_thread(p)) || begin_in_helper(p);
		if (*room && is_waiting(p))
			return thread_end(p); /* it is done already */
	}
	if (p->thread != NULL && memjob_is_done(p->thread)) {
		memjob_forget(&p->thread);
		return thread_end(p);
	}
	if (p->helper != NULL && helper_end(p->helper, &made, sizeof(made), 0) == 0) {
		p->job = made;
		return 0;
	}
	if (p->helper != NULL && errno != ETIMEDOUT)
		return errno;
	if (clock_now() < p->until)
		return UNDER_WAY;
	p->given_up = p->thread != NULL; /* the thread has it yet */
	helper_leave(p->helper);
	return ETIMEDOUT;
}

/* Called now and then.  Returns how many files are still under way.  o->done() may begin another
 * file, so each leaves the list before that is called. */
unsigned
output_step(struct profsup *ps)
{
	bool room = true;
	unsigned n = 0;

	for (struct pending **at = &pending, *p; (p = *at) != NULL;) {
		const bool is_told = p->given_up;
		const int error = look(p, &room);
		/* What a thread has yet stays. */
		const bool stays = p->thread != NULL || error == UNDER_WAY;

		if (stays)
			at = &p->next;
		else
			*at = p->next;
		if (error != UNDER_WAY && !is_told)
			finish(ps, &p->output, &p->job, error);
		if (!stays)
			pending_free(p);
	}
	for (const struct pending *p = pending; p != NULL; p = p->next)
		n += !p->given_up;
	return n;
}

/* Called at the end of a run: waits for all files.  Prints how many there are if that takes long,
 * on a terminal, where somebody waits. */
void
output_wait(struct profsup *ps)
{
	const struct timespec moment = { .tv_nsec = NSEC / 500 };
	const uint64_t patience = clock_now() + NSEC / 2;
	bool told = isatty(STDERR_FILENO) != 1;

	for (unsigned n; (n = output_step(ps)) > 0; nanosleep(&moment, NULL))
		if (!told && clock_now() > patience) {
			log_notice("waiting for files: %u are not written yet", n);
			told = true;
		}
}
