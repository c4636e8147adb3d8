/*
 * The file that a process executes: the target's, on a file system that may be the target's too.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* Of a file that is copied. */
enum { MOST_COPIED = 256 << 20 };

struct reading {
	pid_t pid;
	bool with_symbols;
	struct elf_info elf;
};

struct copying {
	pid_t pid;
	int to;
};

static bool
may_hang(pid_t pid)
{
	const int place = procfs_open(pid, "exe", O_PATH);
	const bool may = place < 0 || mounts_may_hang(place, pid);

	if (place >= 0)
		close(place);
	return may;
}

static int
read_notes(void *arg)
{
	struct reading *r = arg;
	const int fd = procfs_open(r->pid, "exe", O_RDONLY);
	int ret, saved;

	if (fd < 0)
		return -1;
	ret = elfnote_read(fd, &r->elf);
	saved = errno;
	if (r->with_symbols && r->elf.is_elf && !r->elf.runtime)
		r->elf.libc_profile = elfsyms_libc_profile(fd);
	close(fd);
	errno = saved;
	return ret;
}

/* `with_symbols`: one without our runtime is asked for libc's. */
int
exe_read(pid_t pid, bool with_symbols, struct elf_info *elf)
{
	struct reading r = { .pid = pid, .with_symbols = with_symbols };
	const int ret = may_hang(pid) ? aside(read_notes, &r, sizeof(r), -1) : read_notes(&r);

	*elf = r.elf;
	return ret;
}

static int
copy(void *arg)
{
	const struct copying *c = arg;
	const int fd = procfs_open(c->pid, "exe", O_RDONLY);
	size_t rest = MOST_COPIED;
	ssize_t n;

	if (fd < 0)
		return -1;
	while (rest > 0 && (n = sendfile(c->to, fd, NULL, rest)) > 0)
		rest -= (size_t)n;
	return rest > 0 && n == 0 ? 0 : -1;
}

/* To be read at leisure: the file, or a copy where it might not answer.  The caller closes it. */
int
exe_open(pid_t pid)
{
	struct copying c = { .pid = pid };

	if (!may_hang(pid))
		return procfs_open(pid, "exe", O_RDONLY);
	c.to = memfd_create("profsup", MFD_CLOEXEC);
	if (c.to >= 0 && aside(copy, &c, sizeof(c), c.to) < 0) {
		close(c.to);
		return -1;
	}
	return c.to;
}
