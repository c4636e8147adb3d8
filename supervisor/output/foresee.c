/*
 * A file that can't be made is told when it is due, which may be hours later.  Where its directory
 * can't be written to by the identity that it is made with, that is told while the program runs,
 * once: not of a process that has just begun, which may be a wrapper that executes another program
 * in another directory, and not of one that would leave no file.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PAUSE_NS NSEC
/* Each of them costs some system calls. */
enum { MOST_TRIES = 100 };

static uint64_t next;
static unsigned tries;

static bool
will_have_file(const struct proc *proc)
{
	const struct profile *p = proc->profile;

	return !proc->end.done && !p->fileless && time(NULL) - p->started > 1 &&
	       !profile_is_bare_and_empty(p);
}

/* Returns errno if no file can be made there; 0: perhaps one can. */
static int
try(const struct place *place)
{
	int error;

	if (priv_become(&place->id) < 0)
		return 0;
	error = faccessat(place->dirfd, ".", W_OK | X_OK, AT_EACCESS) < 0 ? errno : 0;
	priv_return();
	return error == EACCES || error == EROFS ? error : 0;
}

/* Prints. */
static void
say(const struct place *place, int error)
{
	char where[WRITTEN_MOST];

	written_where(place->dirfd, where);
	log_notice("%s: its file can't be made in %s as uid %u: %s (try -d)", place->name,
	           *where != '\0' ? where : "its directory", place->id.uid, strerror(error));
}

/* Called now and then. */
void
foresee_step(const struct profsup *ps)
{
	const uint64_t now = clock_now();

	if (ps->outdir >= 0 || tries >= MOST_TRIES || now < next)
		return;
	next = now + PAUSE_NS;
	for (struct proc *proc = ps->procs; proc != NULL && tries < MOST_TRIES;
	     proc = proc->hh.next) {
		struct place *place = proc->profile == NULL ? NULL : proc->profile->place;
		int error;

		if (place == NULL || place->tried || place->may_hang || !will_have_file(proc))
			continue;
		place->tried = true;
		tries++;
		error = try(place);
		if (error == 0)
			continue;
		say(place, error);
		tries = MOST_TRIES;
	}
}
