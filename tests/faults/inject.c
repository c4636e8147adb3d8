/*
 * inject SITE WHICH ERRNO REPORT COMMAND...: runs COMMAND, which is a profsup, and lets system
 * calls of its supervisor fail.  Nothing else is touched: not the front, not the program.
 *
 * A site is a system call's number and the return addresses in profsup's own code that lie above it
 * on the stack, as offsets in the file: "257/4a2b/41f0".  WHICH is the number of the call at that
 * site that fails, from 1, or 0 for all of them; SITE without addresses is all sites of a call; "-"
 * is none.  REPORT gets a line "SITE CALLS FAILED" for each site there was.
 *
 * Ends as COMMAND does.
 *
 * SPDX-License-Identifier: ISC
 */
#include "start/start.h"

#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_SITES = 4096, MAX_CALLERS = 4, STACK = 2048, MAX_THREADS = 64, EXIT_SELF = 124 };

struct site {
	char name[96];
	unsigned calls, failed;
};

static struct site site[MAX_SITES];
static unsigned sites;
static const char *chosen;
static unsigned which, chosen_calls;
static int64_t fault;
/* The supervisor, and where its code is. */
static pid_t supervisor;
static uint64_t base, code, code_end;
/* Its threads, and the calls that they are in. */
static struct thread {
	long current;
	pid_t tid;
	bool failing;
} thread[MAX_THREADS];
static unsigned threads;

/* Where the file's code is mapped: its text begins in the file where the mapping says. */
static void
find_code(pid_t pid)
{
	char path[64], line[512], exe[256] = "", *at;
	uint64_t low, high;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (readlink(path, exe, sizeof(exe) - 1) < 0)
		err(EXIT_SELF, "%s", path);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "re");
	if (maps == NULL)
		err(EXIT_SELF, "%s", path);
	while (fgets(line, sizeof(line), maps) != NULL) {
		if (strstr(line, exe) == NULL)
			continue; /* libraries */
		low = strtoull(line, &at, 16);
		high = strtoull(at + 1, &at, 16);
		if (strncmp(at, " r-xp ", 6) != 0)
			continue;
		base = low - strtoull(at + 6, NULL, 16);
		code = low;
		code_end = high;
	}
	fclose(maps);
}

static struct thread *
thread_of(pid_t tid)
{
	for (unsigned i = 0; i < threads; i++)
		if (thread[i].tid == tid)
			return &thread[i];
	if (threads == MAX_THREADS)
		errx(EXIT_SELF, "too many threads");
	thread[threads] = (struct thread){ .tid = tid, .current = -1 };
	return &thread[threads++];
}

/* Only calls that may fail.  Of a futex of the process's own that waits or wakes, the C library
 * takes a failure for its own death. */
static bool
may_fail(uint64_t nr)
{
	return nr != SYS_exit_group && nr != SYS_exit && nr != SYS_rt_sigreturn && nr != SYS_futex;
}

/* A word is a return address if it lies in the file's code; that of data is above it. */
static struct site *
site_of(pid_t tid, const struct __ptrace_syscall_info *info)
{
	uint64_t stack[STACK / sizeof(uint64_t)] = { 0 };
	struct iovec local = { stack, sizeof(stack) };
	struct iovec remote = { (void *)(uintptr_t)info->stack_pointer, sizeof(stack) };
	char name[sizeof(site[0].name)];
	int callers = 0, n;

	n = snprintf(name, sizeof(name), "%" PRIu64, (uint64_t)info->entry.nr);
	process_vm_readv(tid, &local, 1, &remote, 1, 0);
	for (size_t i = 0; i < STACK / sizeof(uint64_t) && callers < MAX_CALLERS; i++) {
		if (stack[i] < code || stack[i] >= code_end)
			continue;
		n += snprintf(name + n, sizeof(name) - (size_t)n, "/%" PRIx64, stack[i] - base);
		callers++;
	}
	for (unsigned i = 0; i < sites; i++)
		if (strcmp(site[i].name, name) == 0)
			return &site[i];
	if (sites == MAX_SITES)
		errx(EXIT_SELF, "too many sites");
	memcpy(site[sites].name, name, sizeof(name));
	return &site[sites++];
}

static bool
is_chosen(const struct site *s)
{
	const size_t n = strlen(chosen);

	if (strncmp(s->name, chosen, n) != 0 || (s->name[n] != '\0' && s->name[n] != '/'))
		return false;
	chosen_calls++;
	return chosen_calls == which || which == 0;
}

/* A close that fails has closed all the same. */
static void
on_entry(struct thread *t, const struct __ptrace_syscall_info *info)
{
	struct site *s;

	t->current = (long)info->entry.nr;
	t->failing = false;
	if (!may_fail(info->entry.nr))
		return;
	s = site_of(t->tid, info);
	s->calls++;
	if (!is_chosen(s))
		return;
	t->failing = true;
	s->failed++;
	if (t->current != SYS_close)
		trace_set_number(t->tid, -1);
}

static void
on_syscall(struct thread *t)
{
	struct __ptrace_syscall_info info;

	if (ptrace(PTRACE_GET_SYSCALL_INFO, t->tid, sizeof(info), &info) < 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY)
		on_entry(t, &info);
	else if (info.op == PTRACE_SYSCALL_INFO_EXIT && t->failing)
		trace_set_result(t->tid, -fault);
}

static void
report(const char *file)
{
	FILE *f = fopen(file, "we");

	if (f == NULL)
		err(EXIT_SELF, "%s", file);
	for (unsigned i = 0; i < sites; i++)
		fprintf(f, "%s %u %u\n", site[i].name, site[i].calls, site[i].failed);
	fclose(f);
}

static pid_t
start(char **argv)
{
	pid_t pid = fork();

	if (pid < 0)
		err(EXIT_SELF, "fork");
	if (pid == 0) {
		if (ptrace(PTRACE_TRACEME, 0, 0L, 0L) < 0)
			err(EXIT_SELF, "PTRACE_TRACEME");
		kill(getpid(), SIGSTOP);
		execvp(argv[0], argv);
		err(EXIT_SELF, "%s", argv[0]);
	}
	if (waitpid(pid, NULL, 0) != pid ||
	    ptrace(PTRACE_SETOPTIONS, pid, 0L,
	           PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACECLONE) < 0)
		err(EXIT_SELF, "can't trace %s", argv[0]);
	ptrace(PTRACE_CONT, pid, 0L, 0L);
	return pid;
}

/* The front's first child is the supervisor. */
static void
on_fork(pid_t front)
{
	unsigned long child;
	int status;

	if (trace_message(front, &child) < 0)
		return;
	waitpid((pid_t)child, &status, __WALL);
	supervisor = (pid_t)child;
	find_code(supervisor);
	ptrace(PTRACE_SYSCALL, supervisor, 0L, 0L);
}

static void
on_front(pid_t front, int status)
{
	const int signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);

	if ((unsigned)status >> 16 != 0)
		on_fork(front);
	ptrace(supervisor > 0 ? PTRACE_DETACH : PTRACE_CONT, front, 0L, (long)signal);
}

/* A new thread begins with a SIGSTOP that nobody else sends. */
static void
on_supervisor(pid_t tid, int status)
{
	const int signal = WSTOPSIG(status);
	const bool call = signal == (SIGTRAP | 0x80);
	const bool ours = (unsigned)status >> 16 != 0 || signal == SIGTRAP || signal == SIGSTOP;

	if (call)
		on_syscall(thread_of(tid));
	ptrace(PTRACE_SYSCALL, tid, 0L, call || ours ? 0L : (long)signal);
}

int
main(int argc, char **argv)
{
	int status, front_status = -1;
	pid_t front, pid;

	if (argc < 6)
		errx(EXIT_SELF, "usage: inject site which errno report command ...");
	chosen = argv[1];
	which = (unsigned)strtoul(argv[2], NULL, 10);
	fault = strtol(argv[3], NULL, 10);
	front = start(argv + 5);
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFSTOPPED(status) && pid == front)
			on_front(front, status);
		else if (WIFSTOPPED(status) && supervisor > 0)
			on_supervisor(pid, status);
		else if (pid == front && !WIFSTOPPED(status))
			front_status = status;
	}
	report(argv[4]);
	if (WIFEXITED(front_status))
		return WEXITSTATUS(front_status);
	return 128 + WTERMSIG(front_status);
}
