/*
 * A file that can't be made is told when it is due, which may be hours later.  Where its directory
 * can't be written to by the identity that it is made with, or its disk is full, that is told while
 * the program runs, once: not of a process that has just begun, which may be a wrapper that
 * executes another program in another directory, and not of one that would leave no file.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
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

/* A file system that does not tell its size is not full. */
static bool
is_full(int dirfd, uid_t uid)
{
	struct statvfs st;

	if (fstatvfs(dirfd, &st) < 0)
		return false;
	return (st.f_blocks != 0 && (uid == 0 ? st.f_bfree : st.f_bavail) == 0) ||
	       (st.f_files != 0 && st.f_ffree == 0);
}

/* Returns errno if no file can be made there; 0: perhaps one can. */
static int
try(int dirfd, const struct identity *id)
{
	int error;

	if (priv_become(id) < 0)
		return 0;
	if (faccessat(dirfd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		error = errno;
	else
		error = is_full(dirfd, id->uid) ? ENOSPC : 0;
	priv_return();
	return error == EACCES || error == EROFS || error == ENOSPC ? error : 0;
}

/* Says it if no file can be made of this process.  Prints. */
static bool
say(const struct profsup *ps, const struct place *place)
{
	const bool given = ps->outdir >= 0;
	const int dirfd = given ? ps->outdir : place->dirfd;
	const struct identity *id = given ? &ps->caller : &place->id;
	const int error = try(dirfd, id);
	char where[WRITTEN_MOST];

	if (error == 0)
		return false;
	written_where(dirfd, where);
	log_notice("%s: its file can't be made in %s as uid %u: %s%s", place->name,
	           *where != '\0' ? where : "its directory", id->uid, strerror(error),
	           given ? "" : " (try -d)");
	return true;
}

/* Called now and then. */
void
foresee_step(const struct profsup *ps)
{
	const uint64_t now = clock_now();

	if (tries >= MOST_TRIES || now < next)
		return;
	next = now + PAUSE_NS;
	for (struct proc *proc = ps->procs; proc != NULL && tries < MOST_TRIES;
	     proc = proc->hh.next) {
		struct place *place = proc->profile == NULL ? NULL : proc->profile->place;

		if (place == NULL || place->tried || !will_have_file(proc) ||
		    (ps->outdir >= 0 ? ps->outdir_may_hang : place->may_hang))
			continue;
		place->tried = true;
		tries = say(ps, place) ? MOST_TRIES : tries + 1;
	}
}
