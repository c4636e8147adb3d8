/*
 * Work done by a process of its own, and which file systems need it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

struct question {
	int number, fd, other;
	pid_t pid;
};

static int
answer(void *arg)
{
	struct question *q = arg;

	q->number *= 2;
	q->pid = getpid();
	if (fcntl(q->fd, F_GETFD) < 0 || fcntl(q->other, F_GETFD) == 0 ||
	    fcntl(STDERR_FILENO, F_GETFD) == 0)
		q->number = -1;
	errno = ENOSPC;
	return 7;
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

static void
patience(const int end[2])
{
	struct question q = { .fd = end[0] }, other = { .fd = q.fd };
	int n = 0;

	errno = 0;
	ok(aside(never, &q, sizeof(q), q.fd) < 0 && errno == ETIMEDOUT,
	   "what is not done is waited for so long and no longer");
	while (n < 2 * ASIDE_LEFT && aside(never, &q, sizeof(q), q.fd) < 0 && errno == ETIMEDOUT)
		n++;
	ok(n == 2 * ASIDE_LEFT, "however often");
	errno = 0;
	ok(aside(answer, &other, sizeof(other), -1) < 0 && errno == ETIMEDOUT,
	   "nothing else is begun while so many wait");
	close(end[1]);
	for (n = 0; n < 1000 && aside(answer, &other, sizeof(other), -1) < 0; n++)
		usleep(10000);
	ok(n < 1000, "when they are done, it is");
}

int
main(void)
{
	struct question q = { .number = 21, .fd = open("/", O_PATH), .other = open("/", O_PATH) };
	int end[2];

	errno = 0;
	ok(aside(answer, &q, sizeof(q), q.fd) == 7 && errno == ENOSPC, "it returns what that does");
	ok(q.number == 42, "with what that has changed, and of our descriptors the one");
	ok(q.pid != getpid() && waitpid(-1, NULL, 0) < 0 && errno == ECHILD,
	   "it was another process, and none of our children");
	errno = 0;
	ok(aside(die, &q, sizeof(q), -1) < 0 && errno == EIO, "one that is killed is an error");
	ok(!mounts_may_hang(open("/dev/shm", O_PATH), getpid()), "memory does not hang");
	ok(mounts_may_hang(open("/proc", O_PATH), getpid()), "of /proc one can't be sure");
	if (pipe(end) < 0)
		bail("pipe");
	ok(mounts_may_hang(end[0], getpid()), "nor of what is mounted nowhere");
	patience(end);
	return done_testing();
}
