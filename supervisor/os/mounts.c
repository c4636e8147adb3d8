/*
 * Which file a descriptor refers to, found out without asking its file system, which may never
 * answer.
 *
 * We know the mounts of our own namespace.  The table of a target's own namespace is never read: it
 * may have twenty thousand entries.  What a target has bound there from ours has the same device.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include "grow.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

/* File systems that the kernel serves by itself, from memory or from a device; and overlays, which
 * the administrator of this machine or container has made of others. */
static const char *const safe[] = {
	"bcachefs", "btrfs", "erofs",   "exfat",    "ext2",  "ext3", "ext4", "f2fs", "iso9660",
	"jfs",      "ramfs", "overlay", "squashfs", "tmpfs", "vfat", "xfs",  "zfs",
};

/* However often the table changes, we spend no more than 1 / SHARE of a CPU on reading it, and that
 * of AHEAD_NS at once.  A wait for a CPU does not count: a busy machine is no reason to know less.
 */
enum { SHARE = 50 };
#define AHEAD_NS (NSEC / 5)

struct mount {
	uint64_t id;
	dev_t dev;
	bool safe;
};

static struct {
	FILE *file; /* /proc/self/mountinfo; NULL: not yet read */
	struct mount *mount;
	size_t n;
	bool stale;          /* it has changed since it was read */
	uint64_t paid_until; /* reading it has had its share of the time until then, ns */
} table;

/* Gets device, inode, mount and the fields in `mask`, as far as the kernel has them cached. */
static int
known(int fd, unsigned mask, struct statx *stx)
{
	return statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID | mask, stx);
}

static int
open_place(int dir, const char *path, uint64_t resolve)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC | O_NOFOLLOW, .resolve = resolve };

	return (int)syscall(SYS_openat2, dir, path, &how, sizeof(how));
}

/* Opens the place of a file, if the kernel knows the way to it and need not ask. */
int
mounts_open_known(int dir, const char *path)
{
	return open_place(dir, path, RESOLVE_CACHED | RESOLVE_NO_SYMLINKS);
}

/* Opens the place of a file below a directory that is a process's root: what leads to it leads
 * where it would lead the process. */
int
mounts_open_inside(int root, const char *path)
{
	return open_place(root, path, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

static uint64_t
in_ns(struct statx_timestamp time)
{
	return (uint64_t)time.tv_sec * NSEC + time.tv_nsec;
}

/* Identifies a file or directory among all that exist at the moment, and its version, which may be
 * NULL, as far as the kernel knows it. */
int
mounts_version(int fd, struct file_id *id, struct file_version *version)
{
	struct statx stx;

	if (known(fd, STATX_SIZE | STATX_CTIME | STATX_BTIME, &stx) < 0)
		return -1;
	*id = (struct file_id){ makedev(stx.stx_dev_major, stx.stx_dev_minor), stx.stx_ino };
	if (version == NULL)
		return 0;
	*version = (struct file_version){ .size = stx.stx_size, .changed = in_ns(stx.stx_ctime) };
	if ((stx.stx_mask & STATX_BTIME) != 0)
		version->made = in_ns(stx.stx_btime);
	return 0;
}

/* Whether the file has the set-user-ID bit; *owner gets its owner. */
bool
mounts_is_set_user_id(int fd, uid_t *owner)
{
	struct statx stx;

	if (known(fd, STATX_MODE | STATX_UID, &stx) < 0)
		return false;
	*owner = stx.stx_uid;
	return (stx.stx_mode & S_ISUID) != 0;
}

/* Whether a file gives capabilities to who executes it. */
bool
mounts_lends_capabilities(int fd)
{
	return !mounts_may_hang(fd) &&
	       getxattr(fds_path(fd).text, "security.capability", NULL, 0) > 0;
}

static bool
is_safe(const char *type)
{
	const size_t len = strcspn(type, " \n");

	for (size_t i = 0; i < sizeof(safe) / sizeof(safe[0]); i++)
		if (strlen(safe[i]) == len && strncmp(type, safe[i], len) == 0)
			return true;
	return false;
}

/* Takes a line of mountinfo: "ID PARENT MAJOR:MINOR ... - TYPE SOURCE OPTIONS". */
static bool
take_line(const char *line, struct mount *m)
{
	const char *type = strstr(line, " - ");
	unsigned long major;
	char *at;

	m->id = strtoull(line, &at, 10);
	strtoull(at, &at, 10);
	major = strtoul(at, &at, 10);
	if (type == NULL || *at != ':')
		return false;
	m->dev = makedev((unsigned)major, (unsigned)strtoul(at + 1, NULL, 10));
	m->safe = is_safe(type + strlen(" - "));
	return true;
}

static void
read_table(void)
{
	const uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	char *line = NULL;
	size_t size = 0;

	table.n = 0;
	rewind(table.file);
	while (getline(&line, &size, table.file) > 0) {
		struct mount *more = grow(table.mount, table.n, sizeof(*more));

		if (more == NULL)
			break; /* a mount that is not in the table may hang */
		table.mount = more;
		table.n += take_line(line, &more[table.n]);
	}
	free(line);
	table.stale = false;
	if (table.paid_until < clock_now())
		table.paid_until = clock_now();
	table.paid_until += (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began) * SHARE;
}

/* Brings the table up to date.  False: that can't be done at the moment. */
static bool
is_current(void)
{
	struct pollfd changed = { .events = POLLPRI };

	if (table.file == NULL) {
		const int fd = procfs_open(getpid(), "mountinfo", O_RDONLY);

		table.file = fd < 0 ? NULL : fdopen(fd, "r");
		if (table.file == NULL) {
			fds_close(fd);
			return false;
		}
		table.stale = true;
	}
	changed.fd = fileno(table.file);
	table.stale |= poll(&changed, 1, 0) != 0;
	if (table.stale && table.paid_until <= clock_now() + AHEAD_NS)
		read_table();
	return !table.stale;
}

/* Whether a path from our root leads to the file, which is not so in another namespace.  The root's
 * own mount is compared first: unless the root is a mount point, it is not in the table. */
bool
mounts_is_ours(int fd)
{
	const int root = open("/", O_PATH | O_CLOEXEC);
	struct statx stx, top;
	bool is = root >= 0 && known(fd, 0, &stx) == 0 && known(root, 0, &top) == 0 &&
	          (stx.stx_mask & top.stx_mask & STATX_MNT_ID) != 0;

	fds_close(root);
	if (!is || stx.stx_mnt_id == top.stx_mnt_id)
		return is;
	if (is_current())
		for (size_t i = 0; i < table.n; i++)
			if (table.mount[i].id == stx.stx_mnt_id)
				return true;
	return false;
}

/* Whether a call that asks its file system may never return. */
bool
mounts_may_hang(int fd)
{
	struct statx stx;
	dev_t dev;

	if (known(fd, 0, &stx) < 0 || (stx.stx_mask & STATX_MNT_ID) == 0 || !is_current())
		return true;
	dev = makedev(stx.stx_dev_major, stx.stx_dev_minor);
	for (size_t i = 0; i < table.n; i++)
		if (table.mount[i].id == stx.stx_mnt_id || table.mount[i].dev == dev)
			return !table.mount[i].safe;
	return true;
}
