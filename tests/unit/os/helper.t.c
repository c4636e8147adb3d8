/*
 * Work done by a process of its own, and which file systems need it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"
#include "tap.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

enum { LONG_MS = 60000 };
enum { ONE, OTHER }; /* users */

struct question {
	int number, fd, second, other;
	pid_t pid;
};

static int
answer(void *arg)
{
	struct question *q = arg;

	q->number *= 2;
	q->pid = getpid();
	if (fcntl(q->fd, F_GETFD) < 0 || fcntl(q->second, F_GETFD) < 0 ||
	    fcntl(q->other, F_GETFD) == 0 || fcntl(STDERR_FILENO, F_GETFD) == 0)
		q->number = -1;
	errno = ENOSPC;
	return 7;
}

/* Says nothing of why. */
static int
fail(void *arg)
{
	(void)arg;
	return -1;
}

static int
give(void *arg)
{
	errno = ((const struct question *)arg)->number;
	return -1;
}

static int
die(void *arg)
{
	(void)arg;
	return raise(SIGKILL);
}

/* Until we end. */
static int
never(void *arg)
{
	const struct question *q = arg;
	char byte;

	return (int)read(q->fd, &byte, 1);
}

/* Those between us and it are our children, and their end says nothing. */
static void
reap(void)
{
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void
patience(const int end[2])
{
	struct question q = { .fd = end[0] };
	struct helper *a = helper_begin(ONE, never, &q, sizeof(q), &q.fd, 1);
	struct helper *others[HELPER_MOST + 1];
	unsigned n = 1;

	if (a == NULL)
		bail("helper_begin");
	errno = 0;
	ok(helper_end(a, &q, sizeof(q), 100) < 0 && errno == ETIMEDOUT,
	   "what is not done is waited for so long and no longer");
	errno = 0;
	ok(helper_end(a, &q, sizeof(q), 0) < 0 && errno == ETIMEDOUT, "however often it is asked");
	helper_leave(a);
	while (n <= HELPER_LEFT &&
	       (a = helper_begin(ONE, never, &q, sizeof(q), &q.fd, 1)) != NULL) {
		helper_leave(a);
		n++;
	}
	errno = 0;
	ok(n == HELPER_LEFT / 2 && helper_begin(ONE, answer, &q, sizeof(q), &q.fd, 1) == NULL &&
	       errno == EAGAIN && helper_is_stuck(ONE),
	   "nothing else is begun for a user while so many are left to it");
	for (n = 0;
	     n <= HELPER_MOST && (a = helper_begin(OTHER, never, &q, sizeof(q), &q.fd, 1)) != NULL;
	     n++)
		others[n] = a;
	ok(n == HELPER_MOST / 2 && errno == EAGAIN && !helper_is_stuck(OTHER),
	   "but for others, who have half of what is at work");
	close(end[1]);
	while (n > 0)
		helper_end(others[--n], &q, sizeof(q), LONG_MS);
	for (n = 0; n < 1000 && !helper_has_room(ONE); n++)
		usleep(10000);
	ok(n < 1000, "when they are done, it may be");
	reap();
}

/* Computes until the pipe is closed, and is killed then. */
static int
compute(void *arg)
{
	const struct question *q = arg;
	char byte;

	while (read(q->fd, &byte, 1) != 0)
		continue;
	return raise(SIGKILL);
}

/* Its CPU time is told while it lives. */
static void
cpu_of_helper(void)
{
	struct question q = { 0 };
	struct helper *a, *idle;
	int end[2], i;

	if (pipe2(end, O_NONBLOCK) < 0)
		bail("pipe");
	q.fd = end[0];
	a = helper_begin(ONE, compute, &q, sizeof(q), &q.fd, 1);
	if (a == NULL)
		bail("a helper");
	for (i = 0; i < 6000 && helper_cpu(a) < 20000000; i++)
		usleep(10000);
	ok(i < 6000, "its CPU time is told while it computes");
	close(end[1]);
	ok(helper_end(a, &q, sizeof(q), LONG_MS) < 0 && errno == EIO, "until it is killed");
	close(end[0]);
	if (pipe(end) < 0)
		bail("pipe");
	q.fd = end[0];
	idle = helper_begin(ONE, never, &q, sizeof(q), &q.fd, 1);
	usleep(50000);
	ok(idle != NULL && helper_cpu(idle) < 20000000, "of one that waits it is little");
	close(end[1]);
	helper_end(idle, &q, sizeof(q), LONG_MS);
	reap();
}

/* A directory in memory.  /dev/shm is one, but in a chroot it may be on a file system of which the
 * chroot knows no mount; then another one does.  NULL: there is none. */
static const char *
in_memory(void)
{
	static char line[4096], path[4096];
	FILE *mounts = fopen("/proc/self/mountinfo", "r");
	const char *found = NULL;

	if (mounts == NULL)
		bail("/proc/self/mountinfo");
	while (found == NULL && fgets(line, sizeof(line), mounts) != NULL)
		if (strstr(line, " - tmpfs ") != NULL &&
		    sscanf(line, "%*s %*s %*s %*s %4095s", path) == 1 && access(path, X_OK) == 0)
			found = path;
	fclose(mounts);
	return found;
}

static void
file_systems(void)
{
	const char *memory = in_memory();

	if (memory == NULL)
		skip("nothing in memory is mounted here");
	else
		ok(!mounts_may_hang(open(memory, O_PATH)), "memory does not hang");
	ok(mounts_may_hang(open("/proc", O_PATH)), "of /proc one can't be sure");
}

int
main(void)
{
	struct question q = { .number = 21,
		              .fd = open("/", O_PATH),
		              .second = open("/", O_PATH),
		              .other = open("/", O_PATH) };
	struct helper *a;
	int end[2], bad = 0;

	signal(SIGIO, SIG_IGN);
	a = helper_begin(ONE, answer, &q, sizeof(q), (int[]){ q.fd, q.second }, 2);
	errno = 0;
	ok(a != NULL && helper_end(a, &q, sizeof(q), LONG_MS) == 7 && errno == ENOSPC,
	   "it returns what that does");
	ok(q.number == 42, "with what that has changed, and of our descriptors the two");
	while (waitpid(-1, NULL, 0) > 0)
		;
	ok(q.pid != getpid() && errno == ECHILD, "it was another process");
	errno = ETIMEDOUT; /* as after one that was not done */
	a = helper_begin(ONE, fail, &q, sizeof(q), NULL, 0);
	ok(a != NULL && helper_end(a, &q, sizeof(q), LONG_MS) < 0 && errno == EIO,
	   "one that fails without a reason is done");
	for (q.number = 1; q.number < 512; q.number++) {
		const int n = q.number;

		a = helper_begin(ONE, give, &q, sizeof(q), NULL, 0);
		errno = 0;
		if (a == NULL || helper_end(a, &q, sizeof(q), LONG_MS) == 0 || errno == ETIMEDOUT ||
		    (errno != n && errno != EIO))
			bad++;
		q.number = n;
		reap();
	}
	is_int(bad, 0, "and so is one that fails with any errno, as a file system may choose it");
	a = helper_begin(ONE, die, &q, sizeof(q), NULL, 0);
	errno = 0;
	ok(a != NULL && helper_end(a, &q, sizeof(q), LONG_MS) < 0 && errno == EIO,
	   "one that is killed is an error");
	file_systems();
	if (pipe(end) < 0)
		bail("pipe");
	ok(mounts_may_hang(end[0]), "nor of what is mounted nowhere");
	cpu_of_helper();
	patience(end);
	return done_testing();
}
