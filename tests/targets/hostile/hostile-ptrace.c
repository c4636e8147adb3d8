/*
 * hostile-ptrace: attacks what traces it, and what is traced beside it, with ptrace, prctl and
 * what these guard; then calls work() 1000 times.  Prints a line for each trick, "TRICK: ANSWER",
 * the answer 0 or errno's name.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "../counted.h"
#include "hostile.h"

#include <linux/kcmp.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

COUNTED_FUNCTION(work)

static void
say(const char *trick, long ret)
{
	printf("%s: %s\n", trick, ret >= 0 ? "0" : strerrorname_np(errno));
	fflush(stdout);
}

static long
opened(pid_t pid, const char *what, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, what);
	fd = open(path, flags);
	if (fd >= 0)
		close(fd);
	return fd;
}

/* All that one process can do to another without its leave. */
static void
attack(const char *whom, pid_t pid)
{
	char byte;
	struct iovec mine = { &byte, 1 }, theirs = { (void *)0x400000, 1 };
	char trick[64];

#define TRY(what, call)                                                                            \
	snprintf(trick, sizeof(trick), "%s %s", what, whom);                                       \
	errno = 0;                                                                                 \
	say(trick, call)
	TRY("attach", ptrace(PTRACE_ATTACH, pid, 0L, 0L));
	TRY("seize", ptrace(PTRACE_SEIZE, pid, 0L, 0L));
	TRY("interrupt", ptrace(PTRACE_INTERRUPT, pid, 0L, 0L));
	TRY("continue", ptrace(PTRACE_CONT, pid, 0L, 0L));
	TRY("detach", ptrace(PTRACE_DETACH, pid, 0L, 0L));
	TRY("kill", ptrace(PTRACE_KILL, pid, 0L, 0L));
	TRY("peek", ptrace(PTRACE_PEEKDATA, pid, 0x400000L, 0L));
	TRY("read", process_vm_readv(pid, &mine, 1, &theirs, 1, 0));
	TRY("write", process_vm_writev(pid, &mine, 1, &theirs, 1, 0));
	TRY("mem", opened(pid, "mem", O_RDWR));
	TRY("environ", opened(pid, "environ", O_RDONLY));
	TRY("maps", opened(pid, "maps", O_RDONLY));
	TRY("fd", opened(pid, "fd", O_RDONLY | O_DIRECTORY));
	TRY("stderr", opened(pid, "fd/2", O_WRONLY));
	TRY("compare", syscall(SYS_kcmp, pid, getpid(), KCMP_FILE, 0, 0));
	TRY("fetch", syscall(SYS_pidfd_getfd, syscall(SYS_pidfd_open, pid, 0), 2, 0));
#undef TRY
}

static void *
trace_me(void *none)
{
	say("trace a thread of mine", ptrace(PTRACE_TRACEME, 0L, 0L, 0L));
	return none;
}

static volatile sig_atomic_t traps;

static void
on_trap(int sig)
{
	traps += sig == SIGTRAP;
}

/* What looks like news from ptrace. */
static void
fake_stops(void)
{
	siginfo_t info = { .si_code = -6 };

	signal(SIGTRAP, on_trap);
	kill(getpid(), SIGTRAP);
#ifdef __x86_64__
	__asm__ volatile("int3");
#endif
	for (int event = 0; event < 130; event += 8) {
		info.si_code = -(SIGTRAP | event << 8);
		syscall(SYS_rt_sigqueueinfo, getpid(), SIGTRAP, &info);
	}
	say("traps", traps >= 2 ? 0 : -1);
}

/* Children that the tracer gets, or does not, by the program's own word. */
static void
odd_children(void)
{
	static const int flags[] = { CLONE_PTRACE, CLONE_UNTRACED, CLONE_PTRACE | CLONE_UNTRACED,
		                     CLONE_PTRACE | CLONE_PARENT };

	for (int i = 0; i < 4; i++) {
		pid_t pid =
		    (pid_t)syscall(SYS_clone, flags[i] | (i == 3 ? 0 : SIGCHLD), 0, 0, 0, 0);

		if (pid == 0) {
			ptrace(PTRACE_TRACEME, 0L, 0L, 0L);
			/* A stop that nobody but we would end. */
			if (i == 1 && tracer() == 0)
				_exit(0);
			kill(getpid(), SIGTRAP);
			_exit(0);
		}
		waitpid(pid, NULL, __WALL);
	}
	/* One that we try to trace for ourselves. */
	pid_t pid = fork();

	if (pid == 0)
		for (;;)
			pause();
	attack("a child", pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
own_settings(void)
{
	prctl(PR_SET_PTRACER, (unsigned long)-1);
	say("not dumpable", prctl(PR_SET_DUMPABLE, 0L));
	say("no keeping of capabilities", prctl(PR_SET_KEEPCAPS, 1L));
	say("timing", prctl(PR_SET_TIMERSLACK, 1L));
	say("no new privileges", prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L));
	say("a death signal", prctl(PR_SET_PDEATHSIG, SIGSTOP));
	say("a reaper", prctl(PR_SET_CHILD_SUBREAPER, 1L));
	say("another session", setsid() < 0 ? -1 : 0);
	fork_and_call(work, 10);
	say("dumpable", prctl(PR_SET_DUMPABLE, 1L));
	prctl(PR_SET_PDEATHSIG, 0L);
}

int
main(void)
{
	const pid_t supervisor = tracer();
	pthread_t thread;

	say("trace me", ptrace(PTRACE_TRACEME, 0L, 0L, 0L));
	pthread_create(&thread, NULL, trace_me, NULL);
	pthread_join(thread, NULL);
	if (supervisor > 1)
		attack("the supervisor", supervisor);
	fake_stops();
	odd_children();
	own_settings();
	for (int i = 0; i < 1000; i++)
		work();
	return 0;
}
