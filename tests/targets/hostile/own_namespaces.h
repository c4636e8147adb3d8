/*
 * Namespaces of one's own, of mounts and of users, in which a plain user is root.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef OWN_NAMESPACES_H
#define OWN_NAMESPACES_H

#include "../program.h"

#include <sched.h>
#include <stdbool.h>

static inline void
own_namespaces_put(const char *file, const char *text)
{
	const int fd = open(file, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(3, "%s", file);
	close(fd);
}

/* users: one of users, too, where who we are is root.  -1 with errno. */
static inline int
own_namespaces(bool users)
{
	const unsigned uid = getuid(), gid = getgid();
	char map[32];

	if (unshare(CLONE_NEWNS | (users ? CLONE_NEWUSER : 0)) < 0)
		return -1;
	if (!users)
		return 0;
	own_namespaces_put("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "0 %u 1", uid);
	own_namespaces_put("/proc/self/uid_map", map);
	snprintf(map, sizeof(map), "0 %u 1", gid);
	own_namespaces_put("/proc/self/gid_map", map);
	return 0;
}

#endif
