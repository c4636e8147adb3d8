/*
 * What a program has from its caller and would not have from us: soft limits that we raise for
 * ourselves, a SIGCHLD disposition that we can't live with, and what survives an exec but not a
 * fork.  Saved in main before the fork, given back in the target before its exec.
 *
 * SPDX-License-Identifier: ISC
 */
#include "start/start.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* Limits that we raise: the supervisor needs a few descriptors, writes files, and lives as long as
 * its targets do. */
static const int limit[] = { RLIMIT_NOFILE, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_AS, RLIMIT_DATA };
static const int timer[] = { ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF };

enum { LIMITS = sizeof(limit) / sizeof(limit[0]), TIMERS = sizeof(timer) / sizeof(timer[0]) };
/* The front passes on what is beyond this. */
enum { MOST_PENDING = 64 };

static struct {
	struct rlimit limit[LIMITS];
	struct itimerval timer[TIMERS];
	struct sigaction sigchld;
	sigset_t mask;
	siginfo_t pending[MOST_PENDING];
	size_t n_pending;
	int death_signal;
	int subreaper;
	pid_t front;
	char *environment; /* first string of the environment; NULL: it is as we have it */
} callers;

/*
 * If a program has more power than its caller, the C library takes variables out of its environment
 * (TMPDIR, LD_LIBRARY_PATH and others), but only their pointers.  The strings are where the kernel
 * put them, one behind the other, between the last argument and the name of our file.
 */
static int
restore_environment(void)
{
	const char *end = (const char *)getauxval(AT_EXECFN);
	char **all, *at = callers.environment;
	size_t n = 0;

	if (at == NULL || end == NULL)
		return 0;
	for (const char *s = at; s < end; s += strlen(s) + 1)
		n++;
	all = calloc(n + 1, sizeof(*all));
	if (all == NULL)
		return -1;
	for (size_t i = 0; i < n; i++, at += strlen(at) + 1)
		all[i] = at;
	environ = all;
	return 0;
}

/* Takes the signals that pend, which are blocked. */
static void
take_pending(void)
{
	const struct timespec now = { 0 };
	sigset_t all;

	memset(&all, 0xff, sizeof(all));
	while (callers.n_pending < MOST_PENDING &&
	       syscall(SYS_rt_sigtimedwait, &all, &callers.pending[callers.n_pending], &now,
	               _NSIG / 8) > 0)
		callers.n_pending++;
}

/* A thread's own pend for it alone. */
static void
give_pending(void)
{
	for (size_t i = 0; i < callers.n_pending; i++) {
		siginfo_t *info = &callers.pending[i];

		if (info->si_code == SI_TKILL)
			syscall(SYS_rt_tgsigqueueinfo, getpid(), getpid(), info->si_signo, info);
		else
			syscall(SYS_rt_sigqueueinfo, getpid(), info->si_signo, info);
	}
}

void
inherit_save(const char *last_arg)
{
	const struct itimerval never = { 0 };
	const struct sigaction plain = { .sa_handler = SIG_DFL };

	for (int i = 0; i < LIMITS; i++) {
		struct rlimit raised;

		getrlimit(limit[i], &callers.limit[i]);
		raised = callers.limit[i];
		raised.rlim_cur = raised.rlim_max;
		setrlimit(limit[i], &raised);
	}
	for (int i = 0; i < TIMERS; i++)
		setitimer(timer[i], &never, &callers.timer[i]);
	take_pending(); /* before a disposition drops any */
	/* With SIGCHLD ignored the kernel would reap our children without a word. */
	sigaction(SIGCHLD, &plain, &callers.sigchld);
	prctl(PR_GET_PDEATHSIG, &callers.death_signal, 0UL, 0UL, 0UL);
	prctl(PR_GET_CHILD_SUBREAPER, &callers.subreaper, 0UL, 0UL, 0UL);
	callers.front = getpid();
	if (priv_is_lent())
		callers.environment = (char *)(uintptr_t)last_arg + strlen(last_arg) + 1;
}

/* Returns -1 if there is no memory. */
int
inherit_restore(void)
{
	for (int i = 0; i < LIMITS; i++)
		setrlimit(limit[i], &callers.limit[i]);
	for (int i = 0; i < TIMERS; i++)
		setitimer(timer[i], &callers.timer[i], NULL);
	sigaction(SIGCHLD, &callers.sigchld, NULL);
	give_pending();
	prctl(PR_SET_CHILD_SUBREAPER, (unsigned long)callers.subreaper, 0UL, 0UL, 0UL);
	prctl(PR_SET_PDEATHSIG, (unsigned long)callers.death_signal, 0UL, 0UL, 0UL);
	if (callers.death_signal != 0 && getppid() != callers.front)
		raise(callers.death_signal); /* the front has died before this */
	return restore_environment();
}

/* Blocks signals until the front can tell where they came from.  Both children inherit that, until
 * they restore the mask or set their own.  The C library's own call leaves out two that it uses. */
void
inherit_block_signals(void)
{
	sigset_t all;

	memset(&all, 0xff, sizeof(all));
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &callers.mask, _NSIG / 8);
}

void
inherit_restore_signals(void)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &callers.mask, NULL, _NSIG / 8);
}

/* Whether our caller has us ignore a signal. */
bool
inherit_ignores(int sig)
{
	struct sigaction act;

	return sigaction(sig, NULL, &act) == 0 && act.sa_handler == SIG_IGN;
}

/* Whether it would end a job that our caller has left as jobs are. */
bool
inherit_ends_jobs(int sig)
{
	return (sig == SIGTERM || sig == SIGINT || sig == SIGHUP || sig == SIGQUIT) &&
	       !inherit_ignores(sig);
}
