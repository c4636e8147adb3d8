/*
 * -u: the user that the program runs as.  Names are looked up before anything is forked, ids are
 * changed by the target-to-be just before it execs.
 *
 * SPDX-License-Identifier: ISC
 */
#include "start/start.h"

#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The largest id means "no change" to the kernel, so it is refused. */
static int
parse_id(const char *word, unsigned *id)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(word, &end, 10);
	if (errno != 0 || end == word || *end != '\0' || *word == '-' || n >= (unsigned)-1)
		return -1;
	*id = (unsigned)n;
	return 0;
}

/* Finds all groups that the user database has for a user; the kernel takes no more. */
static int
look_up_groups(const char *user, struct identity *id)
{
	int n = NGROUPS_MAX + 1;

	id->groups = calloc((size_t)n, sizeof(*id->groups));
	if (id->groups == NULL || getgrouplist(user, id->gid, id->groups, &n) < 0)
		return -1;
	id->ngroups = (size_t)n;
	return 0;
}

/* Finds a user by name, or by a number that need not have a name. */
static int
look_up_user(const char *user, struct identity *id)
{
	struct passwd *pw = getpwnam(user);

	if (pw == NULL && parse_id(user, &id->uid) == 0)
		pw = getpwuid(id->uid);
	else if (pw == NULL)
		return -1;
	if (pw != NULL) {
		id->uid = pw->pw_uid;
		id->gid = pw->pw_gid;
		return look_up_groups(pw->pw_name, id);
	}
	id->gid = id->uid;
	return 0;
}

static int
look_up_group(const char *group, gid_t *gid)
{
	const struct group *gr = getgrnam(group);

	if (gr != NULL)
		*gid = gr->gr_gid;
	return gr != NULL ? 0 : parse_id(group, gid);
}

/* Parses USER[:GROUP].  If there is a group, it is the only one.  -1: there is no such user or
 * group. */
int
runas_parse(const char *spec, struct identity *id)
{
	char user[256];
	const char *colon = strchr(spec, ':');
	const size_t len = colon != NULL ? (size_t)(colon - spec) : strlen(spec);

	*id = (struct identity){ 0 };
	if (len == 0 || len >= sizeof(user))
		return -1;
	memcpy(user, spec, len);
	user[len] = '\0';
	if (look_up_user(user, id) < 0)
		return -1;
	if (colon == NULL)
		return 0;
	id->ngroups = 0;
	return look_up_group(colon + 1, &id->gid);
}

/* Changes real, effective and saved ids, for good. */
int
runas_become(const struct identity *id)
{
	if (setgroups(id->ngroups, id->groups) < 0 || setresgid(id->gid, id->gid, id->gid) < 0)
		return -1;
	return setresuid(id->uid, id->uid, id->uid);
}
