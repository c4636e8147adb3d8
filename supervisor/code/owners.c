/*
 * For whom files are read.  Root's supervisor may read what a program's own user may only execute;
 * what such a file says must not get into that user's profile.
 *
 * SPDX-License-Identifier: ISC
 */
#include "code/code.h"

#include "share.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Identities of one run, and the bytes of their groups, of which one user leaves as much to others
 * as he has. */
enum { MOST_OWNERS = 1024, MOST_BYTES = 16 << 20 };

static struct identity owners[MOST_OWNERS];
static unsigned n;

static size_t
bytes_of(const struct identity *id)
{
	return id->ngroups * sizeof(id->groups[0]);
}

static bool
keep(struct identity *to, const struct identity *id)
{
	const size_t bytes = bytes_of(id);

	*to = *id;
	to->groups = bytes == 0 ? NULL : malloc(bytes);
	if (to->groups == NULL && bytes != 0)
		return false;
	if (bytes != 0)
		memcpy(to->groups, id->groups, bytes);
	return true;
}

static bool
has_room(const struct identity *id)
{
	size_t own = 0, own_bytes = 0, bytes = 0;

	for (unsigned i = 0; i < n; i++) {
		const bool is_own = owners[i].user == id->user;

		own += is_own;
		own_bytes += is_own ? bytes_of(&owners[i]) : 0;
		bytes += bytes_of(&owners[i]);
	}
	return share_left(own, n, MOST_OWNERS) > 0 &&
	       share_left(own_bytes, bytes, MOST_BYTES) >= bytes_of(id);
}

/* Returns an identity's number, for all that is kept for who has it.  OWNER_NOBODY: there are too
 * many to tell them apart. */
unsigned
owners_note(const struct identity *id)
{
	for (unsigned i = 0; i < n; i++)
		if (identity_same(&owners[i], id) && owners[i].overrides == id->overrides)
			return OWNERS + i;
	if (!has_room(id) || !keep(&owners[n], id))
		return OWNER_NOBODY;
	return OWNERS + n++;
}

/* Opens the very file that `place` refers to.  May never return where mounts_may_hang(); does not
 * wait for a lease that a program may have of it. */
int
owners_open_ours(int place)
{
	return priv_open_proc(fds_path(place).text, O_RDONLY | O_NONBLOCK);
}

/* Opens the very file that `place` refers to, if an owner may read it.  Called in a helper process.
 * -1 with EACCES: he may not. */
int
owners_open(unsigned owner, int place)
{
	int fd;

	if (owner == OWNER_CALLER)
		return owners_open_ours(place);
	errno = EACCES;
	if (owner == OWNER_NOBODY || priv_become(&owners[owner - OWNERS]) < 0)
		return -1;
	fd = open(fds_path(place).text, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	priv_return();
	return fd;
}
