/*
 * Finds the file of an object, and what else is known of it: a mapped file by a link of the
 * kernel's or by its path, a program's symbols that a distribution has stripped, the vdso.
 *
 * SPDX-License-Identifier: ISC
 */
#include "code/code.h"

#include "hexadecimal.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* File systems have the time of one of the kernel's last ticks. */
#define COARSE_NS (NSEC / 50)

/* Returns the kernel's code that each process has mapped: the same that we have. */
int
objfile_vdso(void)
{
	const uint64_t at = getauxval(AT_SYSINFO_EHDR);
	const int fd = at == 0 ? -1 : memfd_create("vdso", MFD_CLOEXEC);
	const Elf64_Ehdr *elf = (const Elf64_Ehdr *)at;

	if (fd < 0)
		return -1;
	/* The table of its sections comes last. */
	if (write(fd, elf, elf->e_shoff + (uint64_t)elf->e_shnum * elf->e_shentsize) > 0)
		return fd;
	close(fd);
	return -1;
}

/* Whether a file may have another device than its mappings tell.  Others without a device of their
 * own, as a tmpfs, count their files alike: only the device tells theirs apart. */
static bool
has_more_devices(int place)
{
	struct statfs fs;

	return fstatfs(place, &fs) == 0 &&
	       (fs.f_type == BTRFS_SUPER_MAGIC || fs.f_type == OVERLAYFS_SUPER_MAGIC);
}

/* Whether a descriptor is of the file that is mapped. */
static bool
is_mapped(int place, const struct objfile *at, bool any_device)
{
	struct stat st;

	return fstat(place, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == at->ino &&
	       (any_device || st.st_dev == at->dev ||
	        (major(st.st_dev) == 0 && major(at->dev) == 0 && has_more_devices(place)));
}

/* Finds the file by its mapping, if that is still of it: one that has been deleted, too.  It waits
 * for the lock on the mappings.  Who may not do that has no more rights than the process, and finds
 * it by the path that it has for us, or for the process; so does anybody when the process is gone.
 */
static int
find_file(const struct objfile *at)
{
	char inside[MAPS_PATH + 32];
	const char *const path[] = { at->path, inside };
	int place;

	snprintf(inside, sizeof(inside), "/proc/%d/map_files/%llx-%llx", at->pid,
	         (unsigned long long)at->low, (unsigned long long)at->high);
	place = priv_open_mapped(inside);
	if (place >= 0 && is_mapped(place, at, true))
		return place;
	if (place >= 0)
		close(place);
	else if (errno != EPERM && errno != EACCES && errno != ENOENT && errno != ESRCH)
		return -1;
	snprintf(inside, sizeof(inside), "/proc/%d/root%s", at->pid, at->path);
	for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++) {
		place = open(path[i], O_PATH | O_CLOEXEC);
		if (place >= 0 && is_mapped(place, at, false))
			return place;
		fds_close(place);
	}
	errno = ENOENT;
	return -1;
}

static bool
take_version(int dir, const char *path, struct code_map *map, bool any_device)
{
	const int place = mounts_open_known(dir, path);
	struct file_version version;
	struct file_id id;
	bool is =
	    place >= 0 && mounts_version(place, &id, &version) == 0 && id.ino == map->ino &&
	    (id.dev == map->dev || (any_device && major(id.dev) == 0 && major(map->dev) == 0));

	if (is)
		map->version = version;
	fds_close(place);
	return is;
}

/* Finds out which version of a file a process has mapped, if that can be had without waiting.
 * `root`: the process's, or -1. */
void
objfile_note_version(struct code_map *map, int root)
{
	if (*map->path != '/' || take_version(AT_FDCWD, map->path, map, false))
		return;
	if (root < 0 || !take_version(root, map->path + 1, map, false))
		take_version(AT_FDCWD, map->path, map, true);
}

/* Opens the file.  Not `readable`: whoever gets the profile may not read it.  Called in a helper
 * process, since it may never return. */
int
objfile_open(const struct objfile *at, bool *readable)
{
	const int place = at->place >= 0 ? at->place : find_file(at);
	const int fd = place < 0 ? -1 : owners_open(at->owner, place);

	*readable = fd >= 0;
	return fd >= 0 || place < 0 ? fd : owners_open_ours(place);
}

/* Whether a file was last written before a process began, by another one with its number. */
static bool
is_older(const struct stat *st, uint64_t born)
{
	const uint64_t written =
	    (uint64_t)st->st_mtim.tv_sec * NSEC + (uint64_t)st->st_mtim.tv_nsec;

	return written + COARSE_NS + clock_ns(CLOCK_BOOTTIME) < born + clock_ns(CLOCK_REALTIME);
}

/* Notes where a process that is about to end has the map of its code, and whose that must be; it
 * may be gone when the map is opened.  at->place is to be its root directory. */
int
objfile_note_map(struct objfile *at, pid_t pid)
{
	struct identity id;

	if (procfs_born(pid, &at->born) < 0 || procfs_identity(pid, &id) < 0)
		return -1;
	at->pid = procfs_inner_pid(pid);
	at->uid = id.uid;
	identity_free(&id);
	return 0;
}

/* Opens the map that a program has made of its code, if it is its own.  To open another file may
 * have an effect, as of a device that is mounted there.  Called in a helper process. */
int
objfile_map(const struct objfile *at)
{
	struct stat st;
	char path[32];
	int place, fd = -1;

	if (at->place < 0) {
		errno = ESRCH;
		return -1;
	}
	snprintf(path, sizeof(path), "tmp/perf-%d.map", at->pid);
	place = mounts_open_inside(at->place, path);
	if (place >= 0 && fstat(place, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == at->uid &&
	    st.st_nlink == 1 && !is_older(&st, at->born))
		fd = owners_open_ours(place);
	fds_close(place);
	return fd;
}

/* Runs in a process that has nothing else to do. */
static void __attribute__((noreturn)) tell_id(int file, int out)
{
	struct elf_info info;

	_exit(priv_confine() == 0 && elfnote_read(file, &info) == 0 &&
	              write(out, &info.id, sizeof(info.id)) == sizeof(info.id)
	          ? 0
	          : 1);
}

/* Gets what tells a file from others.  It is a claim of whoever made the file, and read by a
 * process without rights, while the calling helper process still needs its own. */
int
objfile_identify(int file, struct image_id *id)
{
	int ends[2];
	ssize_t got;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	pid = fork();
	if (pid == 0)
		tell_id(file, ends[1]);
	close(ends[1]);
	got = pid < 0 ? -1 : read(ends[0], id, sizeof(*id));
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return got == sizeof(*id) && id->build_id_len <= BUILD_ID_MOST ? 0 : -1;
}

/* Opens the file with the symbols that a distribution has stripped, if it is installed. */
int
objfile_debug(const struct image_id *id, unsigned owner)
{
	char path[64 + 2 * BUILD_ID_MOST], name[2 * BUILD_ID_MOST + 1];
	struct image_id debugs;
	struct stat st;
	int place, fd = -1;

	if (id->build_id_len < 2)
		return -1;
	hexadecimal(id->build_id, id->build_id_len, name);
	snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%.2s/%s.debug", name, name + 2);
	place = open(path, O_PATH | O_CLOEXEC);
	if (place >= 0 && fstat(place, &st) == 0 && S_ISREG(st.st_mode))
		fd = owners_open(owner, place);
	fds_close(place);
	if (fd >= 0 && objfile_identify(fd, &debugs) == 0 && image_same_claim(&debugs, id))
		return fd;
	fds_close(fd);
	return -1;
}
