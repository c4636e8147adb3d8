/*
 * Work on files that may take long or never end: a program of the target's user may serve the file
 * system (FUSE), or its server may be gone, and not even our death ends a wait for its answer.  So
 * a helper process does such work, and we ask now and then for its result.  The helper is an
 * orphan, so that no process of ours has to wait for its end.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include "share.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Each helper has one end of a pipe open as long as it lives; `in` is our end. */
struct helper {
	int in;
	_Atomic pid_t *pid; /* shared with who makes the helper; 0: there is none yet */
	uid_t user;         /* whose files it works on */
	bool left;          /* nobody will ask for its result */
	struct helper *next;
};

static struct helper *all;

struct result {
	int ret, error;
	_Alignas(max_align_t) uint8_t arg[HELPER_BYTES];
};

static void
end(struct helper *a)
{
	struct helper **at = &all;

	while (*at != a)
		at = &(*at)->next;
	*at = a->next;
	close(a->in);
	munmap(a->pid, sizeof(*a->pid));
	free(a);
}

static bool
has_news(const struct helper *a, int ms)
{
	struct pollfd news = { .fd = a->in, .events = POLLIN };

	return poll(&news, 1, ms) == 1;
}

static bool
has_share(uid_t user, bool left, size_t most)
{
	size_t own = 0, n = 0;

	for (const struct helper *a = all; a != NULL; a = a->next) {
		n += a->left == left;
		own += a->left == left && a->user == user;
	}
	return share_left(own, n, most) > 0;
}

/* Whether so much work on a user's files never ends that no more is begun. */
bool
helper_is_stuck(uid_t user)
{
	for (struct helper *a = all, *next; a != NULL; a = next) {
		next = a->next;
		if (a->left && has_news(a, 0))
			end(a);
	}
	return !has_share(user, true, HELPER_LEFT);
}

bool
helper_has_room(uid_t user)
{
	return !helper_is_stuck(user) && has_share(user, false, HELPER_MOST);
}

static void __attribute__((noreturn)) tell(int out, struct result *r, int ret)
{
	r->error = errno;
	r->ret = ret;
	_exit(write(out, r, sizeof(*r)) == sizeof(*r) ? 0 : 1);
}

/* Runs in the child: makes the helper, where this returns, and ends.  The loop then hears of the
 * end of a child that is no tracee. */
static void
become_orphan(_Atomic pid_t *told, int out)
{
	struct result r = { 0 };
	const pid_t pid = fork();

	if (pid < 0)
		tell(out, &r, -1);
	if (pid == 0)
		return;
	*told = pid;
	_exit(0);
}

static void __attribute__((noreturn)) be_helper(int (*work)(void *arg), const void *arg, size_t len,
                                                const int *keep, size_t nkeep, int out)
{
	struct result r = { 0 };
	int kept[HELPER_KEPT + 1];

	for (size_t i = 0; i < nkeep; i++)
		kept[i] = keep[i];
	kept[nkeep] = out;
	fds_close_but(kept, nkeep + 1, 0);
	own_cpu_leave();
	memcpy(r.arg, arg, len);
	errno = EIO; /* what was ours is not to be taken for an answer */
	tell(out, &r, work(r.arg));
}

/* Returns NULL with errno. */
static struct helper *
make(uid_t user, int pipe_end[2])
{
	struct helper *a = calloc(1, sizeof(*a));

	if (a == NULL)
		return NULL;
	a->pid = apart_memory(sizeof(*a->pid));
	if (a->pid != NULL && pipe2(pipe_end, O_CLOEXEC) == 0) {
		a->in = pipe_end[0];
		a->user = user;
		a->next = all;
		all = a;
		return a;
	}
	if (a->pid != NULL)
		munmap(a->pid, sizeof(*a->pid));
	free(a);
	return NULL;
}

/*
 * Begins work() on a user's files in a helper process, on a copy of the `len` bytes at `arg`
 * (HELPER_BYTES at the most); nothing else that it changes is changed for us.  Of our descriptors
 * it has only those in `keep` (HELPER_KEPT at the most).  Returns NULL with errno; EAGAIN: too many
 * helpers are at work.
 */
struct helper *
helper_begin(uid_t user, int (*work)(void *arg), const void *arg, size_t len, const int *keep,
             size_t nkeep)
{
	struct helper *a;
	int pipe_end[2], saved;
	pid_t pid;

	if (!helper_has_room(user)) {
		errno = EAGAIN;
		return NULL;
	}
	a = make(user, pipe_end);
	if (a == NULL)
		return NULL;
	fcntl(a->in, F_SETOWN, getpid());
	fcntl(a->in, F_SETFL, O_ASYNC); /* the kernel sends us CONTROL_SIGNAL when it has news */
	pid = fork();
	if (pid == 0) {
		become_orphan(a->pid, pipe_end[1]);
		be_helper(work, arg, len, keep, nkeep, pipe_end[1]);
	}
	saved = errno;
	close(pipe_end[1]);
	if (pid < 0) {
		end(a);
		errno = saved;
		return NULL;
	}
	return a;
}

/* Returns what work() has returned, with its errno; *arg is as work() has left it.  -1 with
 * ETIMEDOUT: not done after `ms`; in all other cases `a` is freed.  EIO: the helper was killed, or
 * work() has left ETIMEDOUT, since whoever serves a file system chooses its errors. */
int
helper_end(struct helper *a, void *arg, size_t len, int ms)
{
	struct result r;
	ssize_t got;

	if (!has_news(a, ms)) {
		errno = ETIMEDOUT;
		return -1;
	}
	got = read(a->in, &r, sizeof(r));
	end(a);
	if (got != sizeof(r)) {
		errno = EIO;
		return -1;
	}
	memcpy(arg, r.arg, len);
	errno = r.error == ETIMEDOUT ? EIO : r.error;
	return r.ret;
}

/* Returns the CPU time that the helper has used, ns; 0: it has not begun, or has ended. */
uint64_t
helper_cpu(const struct helper *a)
{
	uint64_t ns;

	return *a->pid > 0 && procfs_process_cpu(*a->pid, &ns) == 0 ? ns : 0;
}

/* The helper's result is not wanted any more.  `a` may be NULL. */
void
helper_leave(struct helper *a)
{
	if (a != NULL)
		a->left = true;
}
