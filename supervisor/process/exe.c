/*
 * The file that a process executes: the target's, on a file system that may be the target's too.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct reading {
	int place;  /* O_PATH descriptor of the file */
	bool alone; /* by a helper process, which needs no rights once the file is open */
	struct elf_info elf;
};

static int
read_notes(void *arg)
{
	struct reading *r = arg;
	const int fd = owners_open_ours(r->place);
	int ret;

	if (fd < 0 || (r->alone && priv_confine() < 0))
		return -1;
	ret = elfnote_read(fd, &r->elf);
	fds_close(fd);
	return ret;
}

/* Reads by a helper process.  ETIMEDOUT: the next call asks again. */
static int
read_by_helper(struct proc *proc, struct reading *r)
{
	int ret;

	if (proc->image.reader == NULL)
		proc->image.reader = helper_begin(procfs_user(proc->pid, NULL), read_notes, r,
		                                  sizeof(*r), &r->place, 1);
	ret = proc->image.reader == NULL ? -1 : helper_end(proc->image.reader, r, sizeof(*r), 0);
	if (ret == 0 || errno != ETIMEDOUT)
		proc->image.reader = NULL;
	if (ret < 0 && errno == EAGAIN)
		errno = ETIMEDOUT; /* no process could be made: the next call tries again */
	return ret;
}

/* Gets which file it is: from the kernel, not from who reads what the file says of itself. */
static int
identify(int place, struct elf_info *elf)
{
	struct file_id file;
	struct file_version version;

	*elf = (struct elf_info){ 0 };
	if (mounts_version(place, &file, &version) < 0)
		return -1;
	elf->id = (struct image_id){ .dev = file.dev,
		                     .ino = file.ino,
		                     .size = version.size,
		                     .changed = version.changed,
		                     .made = version.made };
	return 0;
}

static void
take(const struct elf_info *read, struct elf_info *elf)
{
	struct image_id id = elf->id;

	memcpy(id.build_id, read->id.build_id, sizeof(id.build_id));
	id.build_id_len = read->id.build_id_len <= BUILD_ID_MOST ? read->id.build_id_len : 0;
	*elf = *read;
	elf->id = id;
}

/* Reads the file of a stopped process.  ETIMEDOUT: not yet, as the file may be slow to answer. */
int
exe_read(struct proc *proc)
{
	struct elf_info *elf = &proc->image.elf;
	const bool begun = proc->image.reader != NULL;
	const int place = begun ? -1 : procfs_open(proc->pid, "exe", O_PATH);
	struct reading r = { .place = place,
		             .alone = begun || (place >= 0 && mounts_may_hang(place)) };
	int ret = begun || (place >= 0 && identify(place, elf) == 0) ? 0 : -1;

	if (ret == 0)
		ret = r.alone ? read_by_helper(proc, &r) : read_notes(&r);
	if (ret == 0)
		take(&r.elf, elf);
	fds_close(place);
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
	fds_close(place);
	return what;
}

/* Returns for whom what a process executes is read: the identity that the files of its profile are,
 * or would be, made with. */
unsigned
exe_owner(const struct profsup *ps, const struct proc *proc)
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

/* Gives up a reading that has not been answered, or whose process is gone. */
void
exe_forget(struct proc *proc)
{
	helper_leave(proc->image.reader);
	proc->image.reader = NULL;
}

/* Opens the place of what /proc has of a process by any thread: a first one that has ended has it
 * no more. */
int
exe_open(const struct proc *proc, const char *what)
{
	int fd = procfs_open(proc->pid, what, O_PATH);

	for (const struct tracee *t = proc->first; t != NULL && fd < 0; t = t->next)
		fd = procfs_open(t->tid, what, O_PATH);
	return fd;
}

/* Opens the place of the file that exe_read() has read, and of no other. */
int
exe_place(const struct proc *proc)
{
	const int place = exe_open(proc, "exe");
	struct file_id id;

	if (place < 0)
		return -1;
	if (mounts_version(place, &id, NULL) == 0 && id.dev == proc->image.elf.id.dev &&
	    id.ino == proc->image.elf.id.ino)
		return place;
	close(place);
	errno = ESTALE;
	return -1;
}
