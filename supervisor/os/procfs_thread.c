/*
 * What /proc tells of a thread by files that are opened once and read again and again.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Opens a thread's file, to be read again and again; -1 if the thread is gone. */
int
procfs_thread_open(pid_t tgid, pid_t tid, const char *what)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", tgid, tid, what);
	return priv_open_proc(path, O_RDONLY);
}

static int
reread(int fd, char *buf, size_t size)
{
	ssize_t n;

	do
		n = pread(fd, buf, size - 1, 0);
	while (n < 0 && errno == EINTR);
	if (n <= 0) {
		errno = ESRCH;
		return -1;
	}
	buf[n] = '\0';
	return 0;
}

/* Skips `n` words.  NULL: there are not so many. */
static const char *
skip_words(const char *at, int n)
{
	while (n-- > 0 && at != NULL)
		at = strchr(at + 1, ' ');
	return at;
}

/* The state stands behind the name, which may hold anything; the time in the kernel is 12 fields
 * further on, the CPU 36, and behind it the real-time priority and the class. */
int
procfs_thread_stat(int fd, struct thread_stat *st)
{
	enum { STATE_TO_SYSTEM = 12, SYSTEM_TO_CPU = 24, HZ = 100 };
	char buf[640];
	const char *at;
	long policy;

	if (reread(fd, buf, sizeof(buf)) < 0)
		return -1;
	at = strrchr(buf, ')');
	if (at == NULL || at[1] != ' ')
		goto strange;
	st->state = at[2];
	at += 2;
	at = skip_words(at, STATE_TO_SYSTEM);
	if (at == NULL)
		goto strange;
	st->system = strtoull(at, NULL, 10) * (NSEC / HZ);
	at = skip_words(at, SYSTEM_TO_CPU);
	if (at == NULL)
		goto strange;
	st->cpu = (int)strtol(at, (char **)&at, 10);
	strtol(at, (char **)&at, 10); /* its priority */
	policy = strtol(at, NULL, 10);
	st->realtime = policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
	return 0;
strange:
	errno = EPROTO;
	return -1;
}

static char
state_of(pid_t pid, pid_t tid)
{
	const int fd = procfs_thread_open(pid, tid, "stat");
	struct thread_stat st = { .state = '?' };

	if (fd < 0)
		return st.state;
	procfs_thread_stat(fd, &st);
	close(fd);
	return st.state;
}

/* Whether a thread has a CPU, or waits for one. */
bool
procfs_thread_runs(pid_t pid, pid_t tid)
{
	return state_of(pid, tid) == 'R';
}

/* Whether it waits, and a signal would disturb that. */
bool
procfs_thread_sleeps(pid_t pid, pid_t tid)
{
	return state_of(pid, tid) == 'S';
}

/* Reads a thread's account of its CPU time, exact while the thread is not running. */
int
procfs_thread_time(int fd, struct thread_time *time)
{
	char buf[128], *at;

	if (reread(fd, buf, sizeof(buf)) < 0)
		return -1;
	time->cpu = strtoull(buf, &at, 10);
	time->waited = strtoull(at, &at, 10);
	time->slices = strtoull(at, NULL, 10);
	return 0;
}

/* Reads what a thread waits in: "NUMBER ARGUMENTS sp pc", or "-1 sp pc" outside of calls.  EAGAIN:
 * it is running. */
int
procfs_thread_wait(int fd, struct thread_wait *wait)
{
	char buf[256], *end, *at;

	if (reread(fd, buf, sizeof(buf)) < 0)
		return -1;
	wait->syscall = strtol(buf, &end, 10);
	if (end == buf) {
		errno = EAGAIN;
		return -1;
	}
	at = strrchr(buf, ' ');
	if (at == NULL)
		goto strange;
	wait->pc = strtoull(at, NULL, 16);
	*at = '\0';
	at = strrchr(buf, ' ');
	if (at == NULL)
		goto strange;
	wait->sp = strtoull(at, NULL, 16);
	return 0;
strange:
	errno = EPROTO;
	return -1;
}

/* Gets when the scheduler last added up a thread's run time, in ns of that CPU's clock.  Not every
 * kernel tells. */
int
procfs_exec_start(int fd, uint64_t *ns)
{
	static const char name[] = "\nse.exec_start";
	char buf[512], *at;

	if (reread(fd, buf, sizeof(buf)) < 0)
		return -1;
	at = strstr(buf, name);
	at = at == NULL ? NULL : strchr(at, ':');
	if (at == NULL) {
		errno = EPROTO;
		return -1;
	}
	*ns = strtoull(at + 1, &at, 10) * 1000000;
	*ns += *at == '.' ? strtoull(at + 1, NULL, 10) : 0;
	return 0;
}
