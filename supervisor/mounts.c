/*
 * What a descriptor is of, found out without a question to its file system, which may never answer.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Those that the kernel serves all by itself, from memory or from a device. */
static const char *const safe[] = {
	"bcachefs", "btrfs", "erofs", "exfat",    "ext2",  "ext3", "ext4", "f2fs",
	"iso9660",  "jfs",   "ramfs", "squashfs", "tmpfs", "vfat", "xfs",  "zfs",
};
/* This one is made of others, which a user may do in namespaces of his own. */
static const char stacked[] = "overlay";

/* As far as it is known already: device, inode and mount. */
static int
known(int fd, struct statx *stx)
{
	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, stx);
}

/* Which file or directory it is, among all there are at the moment. */
int
mounts_identify(int fd, struct file_id *id)
{
	struct statx stx;

	if (known(fd, &stx) < 0)
		return -1;
	*id = (struct file_id){ makedev(stx.stx_dev_major, stx.stx_dev_minor), stx.stx_ino };
	return 0;
}

/* A line of mountinfo: "ID PARENT ... - TYPE SOURCE OPTIONS". */
static bool
is_safe(const char *line, bool ours)
{
	const char *type = strstr(line, " - ");
	size_t len;

	if (type == NULL)
		return false;
	type += 3;
	len = strcspn(type, " \n");
	for (size_t i = 0; i < sizeof(safe) / sizeof(safe[0]); i++)
		if (strlen(safe[i]) == len && strncmp(type, safe[i], len) == 0)
			return true;
	return ours && strlen(stacked) == len && strncmp(type, stacked, len) == 0;
}

/* -1: it is not there. */
static int
look_up(pid_t pid, uint64_t mount)
{
	const int fd = procfs_open(pid, "mountinfo", O_RDONLY);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t size = 0;
	int answer = -1;

	while (f != NULL && answer < 0 && getline(&line, &size, f) > 0)
		if (strtoull(line, NULL, 10) == mount)
			answer = is_safe(line, pid == getpid());
	free(line);
	if (f != NULL)
		fclose(f);
	else if (fd >= 0)
		close(fd);
	return answer;
}

/* Whether a call that asks its file system may never return.  `pid` has had it: its view of what is
 * mounted may be another than ours. */
bool
mounts_may_hang(int fd, pid_t pid)
{
	struct statx stx;
	int answer;

	if (known(fd, &stx) < 0 || (stx.stx_mask & STATX_MNT_ID) == 0)
		return true;
	answer = look_up(getpid(), stx.stx_mnt_id);
	if (answer < 0 && pid != getpid())
		answer = look_up(pid, stx.stx_mnt_id);
	return answer != 1;
}
