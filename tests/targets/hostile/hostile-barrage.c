/*
 * hostile-barrage MILLISECONDS: four children send whoever traces us and its parent every signal
 * that does not end or stop a process for good, plain and with the marks of a timer, and stop it
 * and let it go on, as fast as they can; meanwhile the program uses so much CPU time in work(), and
 * forks 20 children that call it twice each.  Prints "sent N used MS": signals that went off, but
 * for SIGCONT, and CPU time.
 *
 * SPDX-License-Identifier: ISC
 */
#include "hostile.h"

#include <sys/resource.h>

enum { CHILDREN = 4 };

static volatile unsigned long sink;
static unsigned long *sent;

__attribute__((noinline)) void
work(void)
{
	for (int i = 0; i < 1000000; i++)
		sink++;
}

static void __attribute__((noreturn)) barrage(pid_t pid)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		for (int sig = 1; sig <= 64; sig++) {
			siginfo_t timer = { .si_signo = sig, .si_code = SI_TIMER };
			siginfo_t child = { .si_signo = sig, .si_code = SI_ASYNCIO };

			if (sig == SIGKILL)
				continue;
			/* That may be sent to all of one's session. */
			if (kill(pid, sig) == 0 && sig != SIGCONT)
				__atomic_add_fetch(sent, 1, __ATOMIC_RELAXED);
			if (sig == SIGSTOP || sig == SIGTSTP)
				kill(pid, SIGCONT);
			syscall(SYS_rt_sigqueueinfo, pid, sig, &timer);
			syscall(SYS_rt_sigqueueinfo, pid, sig, &child);
		}
}

static long
cpu_ms(void)
{
	struct timespec ts;

	/* Not by the vdso, which is no text of ours. */
	syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int
main(int argc, char **argv)
{
	const pid_t pid = tracer();
	pid_t child[CHILDREN];

	if (argc < 2 || pid <= 1)
		return 2;
	sent = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < CHILDREN; i++) {
		child[i] = fork();
		if (child[i] == 0)
			barrage(pid);
	}
	while (cpu_ms() < atoi(argv[1]))
		work();
	for (int i = 0; i < 20; i++) {
		pid_t one = fork();

		if (one == 0) {
			for (int n = 0; n < 2; n++)
				work();
			_exit(0);
		}
		waitpid(one, NULL, 0);
	}
	for (int i = 0; i < CHILDREN; i++) {
		kill(child[i], SIGKILL);
		waitpid(child[i], NULL, 0);
	}
	/* The last of them may have been a stop. */
	kill(pid, SIGCONT);
	printf("process %d sent %lu used %ld\n", getpid(), *sent, cpu_ms());
	return 0;
}
