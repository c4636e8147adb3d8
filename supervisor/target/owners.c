/*
 * For whom files are read.  Root's supervisor may read what a program's own user may only execute;
 * what such a file says must not get into that user's profile.
 *
 * SPDX-License-Identifier: ISC
 */
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Identities of one run. */
enum { MOST_OWNERS = 1024 };

static struct identity owners[MOST_OWNERS];
static unsigned n;

static bool
keep(struct identity *to, const struct identity *id)
{
	const size_t bytes = id->ngroups * sizeof(id->groups[0]);

	*to = *id;
	to->groups = bytes == 0 ? NULL : malloc(bytes);
	if (to->groups == NULL && bytes != 0)
		return false;
	if (bytes != 0)
		memcpy(to->groups, id->groups, bytes);
	return true;
}

/* Returns an identity's number, for all that is kept for who has it.  OWNER_NOBODY: there are too
 * many to tell them apart. */
unsigned
owners_note(const struct identity *id)
{
	for (unsigned i = 0; i < n; i++)
		if (identity_same(&owners[i], id) && owners[i].overrides == id->overrides)
			return OWNERS + i;
	if (n == MOST_OWNERS || !keep(&owners[n], id))
		return OWNER_NOBODY;
	return OWNERS + n++;
}

/* Returns for whom what a process executes is read: the identity that the files of its profile are,
 * or would be, made with. */
unsigned
owners_note_process(const struct profsup *ps, const struct proc *proc)
{
	struct identity now = { 0 };
	unsigned owner = OWNER_NOBODY;

	/* Who can't be others has no more rights than they. */
	if (!ps->opt.call_graph || ps->outdir >= 0 || !priv_may_be_others())
		return OWNER_CALLER;
	if (proc->profile != NULL)
		return proc->profile->place->owner;
	if (procfs_identity(proc->pid, &now) == 0)
		owner = owners_note(&now);
	identity_free(&now);
	return owner;
}

/* Opens the very file that `place` refers to, if an owner may read it.  Called in a helper process.
 * -1 with EACCES: he may not. */
int
owners_open(unsigned owner, int place)
{
	char path[32];
	int fd;

	if (owner == OWNER_CALLER)
		return exe_open(place);
	errno = EACCES;
	if (owner == OWNER_NOBODY || priv_become(&owners[owner - OWNERS]) < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	priv_return();
	return fd;
}
