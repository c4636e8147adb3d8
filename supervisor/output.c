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
#include <limits.h>
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

/* How often a number may come again in a run. */
enum { MOST_NAMESAKES = 1000 };

/* What a file is to be called, and whose it is. */
struct naming {
	const char *template;
	struct template_values values;
	uid_t owner;
	bool again; /* another process of this number has had its file */
};

/* A file to be made. */
struct job {
	const struct naming *naming;
	const struct buffer *data;
	int dir;
	unsigned long random;
	bool replaces;           /* a file of ours */
	char name[NAME_MAX + 1]; /* that it is to have, and then has */
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

/* Numbers come again.  A file of this run is not replaced: the later one's name has a number more.
 */
static int
take_name_of_pid(int dir, const char *temp, const struct naming *n, char *name, size_t size)
{
	int ret = -1;

	template_expand(n->template, &n->values, 1, name, size);
	if (!n->again)
		return take_name(dir, temp, name, n->owner);
	for (unsigned number = 2; number <= MOST_NAMESAKES; number++) {
		template_expand(n->template, &n->values, number, name, size);
		ret = renameat2(dir, temp, dir, name, RENAME_NOREPLACE);
		if (ret == 0 || errno != EEXIST)
			break;
	}
	return ret;
}

/* A name that many processes may have. */
static int
take_name_of_many(int dir, const char *temp, const struct naming *n, char *name, size_t size)
{
	char first[NAME_MAX + 1];
	unsigned number;

	template_expand(n->template, &n->values, 1, first, sizeof(first));
	do {
		number = names_next(dir, first);
		template_expand(n->template, &n->values, number, name, size);
	} while (number > 1 && names_is_given(dir, name));
	return take_name(dir, temp, name, n->owner);
}

static int
take_final_name(int dir, const char *temp, const struct naming *n, char *name, size_t size)
{
	if (!template_has(n->template, 'p'))
		return take_name_of_many(dir, temp, n, name, size);
	if (n->values.snapshot == 0)
		return take_name_of_pid(dir, temp, n, name, size);
	/* A process is once in each snapshot. */
	template_expand(n->template, &n->values, 1, name, size);
	return take_name(dir, temp, name, n->owner);
}

/* Some file systems say only at the close that it is lost. */
static int
fill(int fd, const struct buffer *data)
{
	int ret = write_all(fd, data), saved = errno;

	if (close(fd) < 0 && ret == 0)
		return -1;
	errno = saved;
	return ret;
}

static int
create(void *arg)
{
	struct job *j = arg;
	const struct naming *n = j->naming;
	const size_t size = sizeof(j->name);
	char temp[64];
	int fd, saved;

	snprintf(temp, sizeof(temp), ".%.40s.%08lx", j->name, j->random);
	do
		fd = openat(j->dir, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		            0600);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return -1;
	if (fill(fd, j->data) == 0 &&
	    (j->replaces ? take_name(j->dir, temp, j->name, n->owner)
	                 : take_final_name(j->dir, temp, n, j->name, size)) == 0)
		return 0;
	saved = errno;
	unlinkat(j->dir, temp, 0);
	errno = saved;
	return -1;
}

/* Prints why there is no file.  `path` gets the file's name; if it has one, that is a file of this
 * run and is replaced. */
int
output_write(struct profsup *ps, const struct proc *proc, const struct buffer *data,
             unsigned snapshot, char *path, size_t size)
{
	const struct place *place = proc->profile->place;
	const struct identity *id = ps->outdir >= 0 ? &ps->caller : &place->id;
	const bool is_new = *path == '\0';
	const bool may_hang = ps->outdir >= 0 ? ps->outdir_may_hang : place->may_hang;
	const struct naming naming = {
		.template = ps->opt.template,
		.values = { place->name, ps->host, proc->pid, proc->parent, proc->profile->started,
		            snapshot },
		.owner = id->uid,
		.again = is_new && snapshot == 0 && template_has(ps->opt.template, 'p') &&
		         names_pid_again(proc->pid),
	};
	struct job job = { .naming = &naming,
		           .data = data,
		           .dir = ps->outdir >= 0 ? ps->outdir : place->dirfd,
		           .random = (unsigned long)random(),
		           .replaces = !is_new };
	int ret;

	if (is_new)
		template_expand(naming.template, &naming.values, 1, path, size);
	if (priv_become(id) < 0) {
		log_error("%s: can't act as uid %u, gid %u: %m (try -d)", path, id->uid, id->gid);
		return -1;
	}
	snprintf(job.name, sizeof(job.name), "%s", path);
	ret = may_hang ? aside(create, &job, sizeof(job), job.dir) : create(&job);
	priv_return();
	snprintf(path, size, "%s", job.name);
	if (ret < 0) {
		log_error("%s: %m%s", path, ps->outdir >= 0 ? "" : " (try -d)");
		return -1;
	}
	if (is_new && !template_has(naming.template, 'p'))
		names_give(job.dir, path);
	ps->stats.files += is_new;
	return 0;
}
