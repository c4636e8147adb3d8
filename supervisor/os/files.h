/*
 * Descriptors and files, and work on them that may never end.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_FILES_H
#define PROFSUP_FILES_H

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

/* thread.c */
int thread_start(size_t stack, void *(*run)(void *), void *arg);

/* apart.c */
void *apart_memory(size_t size);
int apart_start(void *(*run)(void *), const int fds[2]);
bool apart_wait(const struct timespec *time);

/* helper.c: HELPER_MOST at work, and HELPER_LEFT that may never end, of which one user leaves as
 * many to others as he has */
enum { HELPER_MOST = 64, HELPER_LEFT = 256, HELPER_BYTES = 1024, HELPER_KEPT = 2 };
struct helper;
struct helper *helper_begin(uid_t user, int (*work)(void *arg), const void *arg, size_t len,
                            const int *keep, size_t nkeep);
int helper_end(struct helper *a, void *arg, size_t len, int ms);
uint64_t helper_cpu(const struct helper *a);
bool helper_is_stuck(uid_t user);
bool helper_has_room(uid_t user);
void helper_leave(struct helper *a);

/* installed.c */
int installed_path(const char *name, char path[PATH_MAX]);

/* outlet.c */
struct helper *outlet_begin(int to, int *in);
int outlet_end(struct helper *h, int in);
void outlet_messages(void);
void outlet_messages_end(void);

/* fds.c */
int fds_copy_of(pid_t pid, int fd);
void fds_close_but(const int *keep, size_t n, unsigned from);
bool fds_again(int *tries);
bool fds_have_spare(void);
bool fds_spend_spare(void);
void fds_give_back(int fd);
/* Closes a descriptor, if it is one.  errno stays as it is. */
static inline void
fds_close(int fd)
{
	const int saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
}
/* Where the very file that a descriptor refers to can be opened or named. */
struct fd_path {
	char text[32];
};
static inline struct fd_path
fds_path(int fd)
{
	struct fd_path path;

	snprintf(path.text, sizeof(path.text), "/proc/self/fd/%d", fd);
	return path;
}

/* mounts.c */
struct file_id {
	dev_t dev;
	ino_t ino;
};
/* What is another when a file is written again, or another file has its number. */
struct file_version {
	uint64_t size;    /* bytes */
	uint64_t changed; /* ns since 1970: no call can set it, unlike the time of writing */
	uint64_t made;    /* likewise; 0: the file system does not tell */
};
int mounts_open_known(int dir, const char *path);
int mounts_open_inside(int root, const char *path);
int mounts_version(int fd, struct file_id *id, struct file_version *version);
bool mounts_may_hang(int fd);
bool mounts_is_ours(int fd);
bool mounts_is_set_user_id(int fd, uid_t *owner);
bool mounts_lends_capabilities(int fd);

#endif
