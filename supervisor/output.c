/*
 * The only creator of files.
 *
 *  1. Files are made with the recorded identity's rights, in the recorded directory's descriptor;
 *     nothing here takes a path from a target.
 *  2. A file is written under a temporary name that no reader looks for and then renamed, so that
 *     nobody sees half of one.
 *  3. What has the name already is replaced only if it is a regular file with one link, owned by
 *     that identity, without group or other bits; no link is followed.
 *  4. A failure is one line, leaves nothing behind and stops nothing else.
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
#include <unistd.h>

enum { BLOCK = 4096 };

static int
write_at(int fd, const uint8_t *data, size_t len, off_t at)
{
	while (len > 0) {
		ssize_t n = pwrite(fd, data, len, at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		data += n;
		len -= (size_t)n;
		at += n;
	}
	return 0;
}

static bool
is_zero(const uint8_t *data, size_t len)
{
	return data[0] == 0 && memcmp(data, data + 1, len - 1) == 0;
}

/* All but blocks of zeros, which become holes. */
static int
write_part(int fd, const uint8_t *data, size_t at, size_t end)
{
	size_t from = at, to;

	for (; at < end; at = to) {
		to = end - at > BLOCK ? at + BLOCK : end;
		if (!is_zero(data + at, to - at))
			continue;
		if (at > from && write_at(fd, data + from, at - from, (off_t)from) < 0)
			return -1;
		from = to;
	}
	return end > from ? write_at(fd, data + from, end - from, (off_t)from) : 0;
}

static int
write_all(int fd, const struct buffer *b)
{
	size_t at = 0, len;

	for (; (len = buffer_next(b, &at)) > 0; at += len)
		if (write_part(fd, b->data, at, at + len) < 0)
			return -1;
	return ftruncate(fd, (off_t)b->len);
}

/* The kernel's limit for numbers of processes; and how often one may come again in a run. */
enum { PID_MOST = 1 << 22, MOST_NAMESAKES = 1000 };

struct owner {
	uid_t uid;
	pid_t pid;
};

static bool
may_replace(const struct stat *st, uid_t owner)
{
	return S_ISREG(st->st_mode) && st->st_nlink == 1 && st->st_uid == owner &&
	       (st->st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/* A name that is free is taken without a window in which somebody else could take it. */
static int
take_name(int dir, const char *temp, const char *name, uid_t owner)
{
	struct stat st;

	if (renameat2(dir, temp, dir, name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EEXIST && errno != EINVAL)
		return -1;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !may_replace(&st, owner)) {
		errno = EEXIST;
		return -1;
	}
	return renameat(dir, temp, dir, name);
}

/* Whether a process of this number has had its file in this run already; from now on it has. */
static bool
is_namesake(pid_t pid)
{
	static uint8_t *seen; /* a bit each, touched as they come */
	const uint8_t bit = (uint8_t)(1 << pid % 8);
	bool is;

	if (seen == NULL)
		seen = calloc(PID_MOST / 8, 1);
	if (seen == NULL || pid < 0 || pid >= PID_MOST)
		return false;
	is = (seen[pid / 8] & bit) != 0;
	seen[pid / 8] |= bit;
	return is;
}

/* Numbers come again.  A file of this run is not replaced: the later one's name has a number more.
 */
static int
take_final_name(int dir, const char *temp, char *name, size_t size, const struct owner *owner)
{
	const size_t stem = strlen(name) - strlen("out");
	int ret = -1;

	if (!is_namesake(owner->pid))
		return take_name(dir, temp, name, owner->uid);
	for (int n = 2; n <= MOST_NAMESAKES; n++) {
		snprintf(name + stem, size - stem, "%d.out", n);
		ret = renameat2(dir, temp, dir, name, RENAME_NOREPLACE);
		if (ret == 0 || errno != EEXIST)
			break;
	}
	return ret;
}

static int
create(int dir, char *name, size_t size, const struct buffer *data, const struct owner *owner)
{
	char temp[64];
	int fd, ret, saved;

	snprintf(temp, sizeof(temp), ".%.40s.%08lx", name, (unsigned long)random());
	do
		fd = openat(dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return -1;
	ret = write_all(fd, data);
	saved = errno;
	if (close(fd) < 0 && ret == 0) { /* some file systems say only now that it is lost */
		ret = -1;
		saved = errno;
	}
	if (ret == 0 && take_final_name(dir, temp, name, size, owner) == 0)
		return 0;
	saved = ret == 0 ? errno : saved;
	unlinkat(dir, temp, 0);
	errno = saved;
	return -1;
}

/* Prints why there is no file.  `path` gets the file's name. */
int
output_write(struct profsup *ps, const struct proc *proc, const struct buffer *data, char *path,
             size_t size)
{
	const struct place *place = proc->profile->place;
	const struct identity *id = ps->outdir >= 0 ? &ps->caller : &place->id;
	const int dir = ps->outdir >= 0 ? ps->outdir : place->dirfd;
	int ret;

	snprintf(path, size, "gmon.%s.%d.out", place->name, proc->pid);
	if (priv_become(id) < 0) {
		log_error("%s: can't act as uid %u, gid %u: %m (try -d)", path, id->uid, id->gid);
		return -1;
	}
	ret = create(dir, path, size, data, &(struct owner){ id->uid, proc->pid });
	priv_return();
	if (ret < 0) {
		log_error("%s: %m%s", path, ps->outdir >= 0 ? "" : " (try -d)");
		return -1;
	}
	ps->stats.files++;
	return 0;
}
