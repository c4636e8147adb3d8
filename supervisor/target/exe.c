/*
 * The file that a process executes: the target's, on a file system that may be the target's too.
 *
 * SPDX-License-Identifier: ISC
 */
#include "target/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

struct reading {
	int place; /* O_PATH descriptor of the file */
	bool with_symbols, alone;
	struct elf_info elf;
};

/* Opens the very file that `place` refers to.  May never return where mounts_may_hang(); does not
 * wait for a lease that a program may have of it. */
int
exe_open(int place)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	return priv_open_proc(path, O_RDONLY | O_NONBLOCK);
}

static int
read_notes(void *arg)
{
	struct reading *r = arg;
	const int fd = exe_open(r->place);
	int ret, saved;

	if (fd < 0 || (r->alone && priv_drop() < 0))
		return -1;
	ret = elfnote_read(fd, &r->elf);
	saved = errno;
	if (r->with_symbols && r->elf.is_elf && !r->elf.runtime)
		r->elf.libc_profile = elfsyms_libc_profile(fd);
	close(fd);
	errno = saved;
	return ret;
}

/* Runs in a helper process, which needs no rights once the file is open. */
static int
read_notes_alone(void *arg)
{
	struct reading *r = arg;

	r->alone = true;
	return read_notes(r);
}

/* Reads by a helper process.  ETIMEDOUT: the next call asks again. */
static int
read_by_helper(struct proc *proc, struct reading *r)
{
	int ret;

	if (proc->image.reader == NULL)
		proc->image.reader = helper_begin(read_notes_alone, r, sizeof(*r), &r->place, 1);
	if (proc->image.reader == NULL) {
		errno = errno == EAGAIN ? ETIMEDOUT : errno;
		return -1;
	}
	ret = helper_end(proc->image.reader, r, sizeof(*r), 0);
	if (ret < 0 && errno == EINPROGRESS) {
		errno = ETIMEDOUT;
		return ret;
	}
	proc->image.reader = NULL;
	if (ret < 0 && errno == EAGAIN)
		errno = ETIMEDOUT; /* no process could be made: the next call tries again */
	return ret;
}

/* Reads the file of a stopped process.  `with_symbols`: a file without our runtime is searched for
 * libc's profiling.  ETIMEDOUT: not yet, as the file may be slow to answer. */
int
exe_read(struct proc *proc, bool with_symbols, struct elf_info *elf)
{
	const int place = proc->image.reader != NULL ? -1 : procfs_open(proc->pid, "exe", O_PATH);
	struct reading r = { .place = place, .with_symbols = with_symbols };
	int ret, saved;

	if (proc->image.reader == NULL && place < 0)
		return -1;
	ret = proc->image.reader != NULL || mounts_may_hang(place) ? read_by_helper(proc, &r)
	                                                           : read_notes(&r);
	saved = errno;
	if (place >= 0)
		close(place);
	*elf = r.elf;
	errno = saved;
	return ret;
}

/* Says what power the program has lost, which tracing without CAP_SYS_PTRACE causes: NULL, or what
 * gives it, alone. */
const char *
exe_powerless(pid_t pid)
{
	const int place = procfs_open(pid, "exe", O_PATH);
	struct identity id = { 0 };
	const char *what = NULL;
	uid_t owner;

	if (place >= 0 && mounts_is_set_user_id(place, &owner) && procfs_identity(pid, &id) == 0 &&
	    id.uid != owner)
		what = "is set-user-ID, which has";
	else if (place >= 0 && mounts_lends_capabilities(place))
		what = "has file capabilities, which have";
	identity_free(&id);
	if (place >= 0)
		close(place);
	return what;
}

/* Gives up a reading that has not been answered, or whose process is gone. */
void
exe_forget(struct proc *proc)
{
	helper_leave(proc->image.reader);
	proc->image.reader = NULL;
}

/* Opens the place of the file that exe_read() has read, and of no other. */
int
exe_place(const struct proc *proc)
{
	const int place = procfs_open(proc->pid, "exe", O_PATH);
	struct file_id id;

	if (place < 0)
		return -1;
	if (mounts_identify(place, &id) == 0 && id.dev == proc->image.elf.id.dev &&
	    id.ino == proc->image.elf.id.ino)
		return place;
	close(place);
	errno = ESTALE;
	return -1;
}
