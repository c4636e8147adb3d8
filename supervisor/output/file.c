/*
 * The only creator of files.
 *
 *  1. Files are made with the recorded identity's rights, in the recorded directory's descriptor;
 *     nothing here takes a path from a target.
 *  2. A file gets its name when it is written, so that nobody sees half of one: until then it has
 *     none, or, where the file system knows no such files, a name that no reader looks for.
 *  3. A file that has the name already is replaced only if it is a regular file with one link,
 *     owned by that identity, without group or other bits; no link is followed.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/file.h"

#include "stackfile.h"
#include "write_all.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes the bytes to a file that has none.  Zeros that nobody has put there become holes. */
int
file_write(int fd, const struct buffer *b)
{
	size_t at = 0, len;

	for (; (len = buffer_next(b, &at)) > 0; at += len)
		if (lseek(fd, (off_t)at, SEEK_SET) < 0 || write_all(fd, b->data + at, len) < 0)
			return -1;
	return ftruncate(fd, (off_t)b->len);
}

/* `own`: a file that we have just made, for its owner alone.  Some file systems give all files one
 * owner, or others access to all. */
static bool
may_replace(const struct stat *st, const struct stat *own)
{
	return S_ISREG(st->st_mode) && st->st_nlink == 1 && st->st_uid == own->st_uid &&
	       (st->st_mode & ~own->st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/* A name that is free is taken without a window in which somebody else could take it. */
static int
take_name(int dir, const char *temp, const char *name)
{
	struct stat st, own;

	if (renameat2(dir, temp, dir, name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EEXIST && errno != EINVAL)
		return -1;
	if (fstatat(dir, temp, &own, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !may_replace(&st, &own)) {
		errno = EEXIST;
		return -1;
	}
	return renameat(dir, temp, dir, name);
}

/* Makes a file without a name, where there can be one: it goes with us if we are killed.  Else a
 * file with a name that no reader looks for. */
static int
create(const struct job *j, const char *temp, bool *named)
{
	const int flags = O_WRONLY | O_CLOEXEC;
	int fd, tries = 0;

	do
		fd = openat(j->dir, ".", flags | O_TMPFILE, 0600);
	while (fd < 0 && (fds_again(&tries) || fds_spend_spare()));
	*named = fd < 0;
	while (fd < 0) {
		fd = openat(j->dir, temp, flags | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
		if (fd < 0 && !fds_again(&tries))
			return -1;
	}
	return fd;
}

static int
give_name(int fd, int dir, const char *name)
{
	return linkat(AT_FDCWD, fds_path(fd).text, dir, name, AT_SYMLINK_FOLLOW);
}

/* Closes the file and names it.  Some file systems say only at the close that the file is lost. */
static int
publish(int fd, const struct job *j, const char *name, const char *temp, bool *named)
{
	if (!*named && !j->replaces && give_name(fd, j->dir, name) == 0)
		return close(fd);
	if (!*named && give_name(fd, j->dir, temp) < 0) {
		fds_close(fd);
		return -1;
	}
	*named = true;
	if (close(fd) < 0)
		return -1;
	return take_name(j->dir, temp, name);
}

static int
make_one(const struct job *j, const char *name, const struct buffer *data)
{
	char temp[64];
	bool named;
	int fd, saved, ret;

	snprintf(temp, sizeof(temp), ".%.40s.%08lx", name, j->random);
	fd = create(j, temp, &named);
	if (fd < 0)
		return -1;
	ret = file_write(fd, data);
	if (ret == 0)
		ret = publish(fd, j, name, temp, &named);
	else
		close(fd);
	fds_give_back(-1);
	saved = errno;
	if (ret < 0 && named)
		unlinkat(j->dir, temp, 0);
	errno = saved;
	return ret;
}

/* Encodes a profile's file, and that of its stacks. */
int
file_encode(struct job *j, struct buffer *data, struct buffer *stacks)
{
	errno = ENOMEM;
	if (gmon_encode(j->what, j->image, j->hz, data) < 0)
		return -1;
	gmon_mark(data, j->run);
	if (j->has_stacks && stacks_file_encode(j->what, j->image, j->program, j->hz, stacks) < 0)
		j->stacks_error = ENOMEM;
	return 0;
}

/* Makes the file, and then that of its stacks beside it. */
int
file_make(struct job *j, const struct buffer *data, const struct buffer *stacks)
{
	char name[NAME_MAX + 1];

	if (make_one(j, j->name, data) < 0)
		return -1;
	stackfile_name(j->name, name, sizeof(name));
	if (j->has_stacks && j->stacks_error == 0 && make_one(j, name, stacks) < 0)
		j->stacks_error = errno;
	return 0;
}

int
file_encode_and_make(void *arg)
{
	static struct buffer data, stacks; /* they end with our process */
	struct job *j = arg;

	if (j->data != NULL)
		return file_make(j, j->data, j->stacks);
	if (file_encode(j, &data, &stacks) < 0)
		return -1;
	return file_make(j, &data, &stacks);
}
