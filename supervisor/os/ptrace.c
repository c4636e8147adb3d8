/*
 * ptrace(2), which else only arch_*.c call.  ESRCH from any of these is news, not an error: the
 * tracee was killed, and wait will say so.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include "os/arch.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>

static unsigned long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                               PTRACE_O_TRACECLONE | PTRACE_O_TRACEVFORKDONE | PTRACE_O_TRACEEXEC |
                               PTRACE_O_TRACEEXIT;

/* How long the kernel may keep us waiting: until an exec that has begun in the thread's process is
 * done.  Another tracer of one of its threads can keep that from its end. */
#define SEIZE_US 200000

static sigjmp_buf way_out;

static void
take_way_out(int sig)
{
	(void)sig;
	siglongjmp(way_out, 1);
}

/* Changes what SIGALRM, which is blocked, does.  To ignore it drops one that is pending. */
static void
set_alarm(void (*action)(int), suseconds_t us)
{
	const struct sigaction sa = { .sa_handler = action };
	const struct itimerval when = { .it_value = { .tv_usec = us } };

	sigaction(SIGALRM, &sa, NULL);
	setitimer(ITIMER_REAL, &when, NULL);
}

/* No PTRACE_O_EXITKILL, unless it is asked for: if we die, the target lives on.  -1 with ETIMEDOUT:
 * the thread's process executes a program, which takes too long.  The kernel begins the call anew
 * after any signal handler that returns. */
int
trace_seize(pid_t tid, bool kill_on_exit)
{
	sigset_t alarm;
	int ret, error;

	if (kill_on_exit)
		options |= PTRACE_O_EXITKILL;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	if (sigsetjmp(way_out, true) == 0) {
		set_alarm(take_way_out, SEIZE_US);
		sigprocmask(SIG_UNBLOCK, &alarm, NULL);
		ret = (int)ptrace(PTRACE_SEIZE, tid, 0L, options);
		error = errno;
		sigprocmask(SIG_BLOCK, &alarm, NULL);
	} else {
		ret = procfs_tracer(tid) == getpid() ? 0 : -1;
		error = ETIMEDOUT;
	}
	set_alarm(SIG_IGN, 0);
	errno = error;
	return ret;
}

struct filter_query {
	unsigned long index;
	struct sock_filter *program; /* or NULL */
};

static int
get_filter(pid_t tid, unsigned long query)
{
	const struct filter_query *q = (const struct filter_query *)query;

	return (int)ptrace(PTRACE_SECCOMP_GET_FILTER, tid, q->index, q->program);
}

/* Of a thread with more filters none is looked at: the kernel counts all of them for each. */
enum { MOST_FILTERS = 128 };

/* Whether each of a stopped thread's filters lets a call through. */
bool
trace_filters_allow(pid_t tid, const struct made_call *made)
{
	struct sock_filter program[BPF_MAXINSNS];
	struct seccomp_data data = { .nr = (int)made->nr,
		                     .arch = arch_audit,
		                     .instruction_pointer = made->pc };
	struct filter_query q = { MOST_FILTERS, NULL };

	for (int i = 0; i < 6; i++)
		data.args[i] = made->args[i];
	if (priv_admin(get_filter, tid, (unsigned long)&q) >= 0)
		return false;
	for (q = (struct filter_query){ 0, program };; q.index++) {
		const int n = priv_admin(get_filter, tid, (unsigned long)&q);

		if (n < 0)
			return errno == ENOENT;
		if (!filter_allows(program, (size_t)n, &data))
			return false;
	}
}

/* Gets the news of a thread, and leaves it for wait: info->si_pid is 0 if there is none. */
static int
peek(pid_t tid, siginfo_t *info)
{
	*info = (siginfo_t){ 0 };
	return waitid(P_PID, (id_t)tid, info, WEXITED | WSTOPPED | __WALL | WNOHANG | WNOWAIT);
}

/* Is the thread a tracee of ours whose end we have not yet heard of? */
bool
trace_has(pid_t tid)
{
	siginfo_t info;

	return peek(tid, &info) == 0 || errno != ECHILD;
}

/*
 * Whether a thread id may no longer be our tracee's.  If false, the id, and what /proc has under
 * it, were the tracee's until now: there is no news that the tracee dies or execs.  Another thread
 * of its process, which is not traced, may exec and take the id over.
 */
bool
trace_has_changed(pid_t tid)
{
	siginfo_t info;

	if (peek(tid, &info) < 0)
		return true;
	if (info.si_pid == 0)
		return false;
	return info.si_code != CLD_TRAPPED || info.si_status >> 8 == PTRACE_EVENT_EXEC ||
	       info.si_status >> 8 == PTRACE_EVENT_EXIT;
}

int
trace_interrupt(pid_t tid)
{
	return (int)ptrace(PTRACE_INTERRUPT, tid, 0L, 0L);
}

/*
 * SIGKILL takes a tracee out of any stop and on to its exit stop.  A resume that was meant for the
 * earlier stop must not release it from the exit stop unseen, our last chance to read its memory.
 */
static bool
has_moved(pid_t tid)
{
	siginfo_t info;

	return peek(tid, &info) == 0 && info.si_pid == tid;
}

/* Returns 0 also if there is news of the tracee, which is not resumed then. */
int
trace_resume(pid_t tid, bool watch, int signal)
{
	if (has_moved(tid))
		return 0;
	if (INSIST(ptrace(watch ? PTRACE_SYSCALL : PTRACE_CONT, tid, 0L, (long)signal)) < 0)
		return errno == ESRCH ? 0 : -1;
	return 0;
}

/* Leaves a group-stopped tracee stopped, yet able to continue by itself. */
int
trace_listen(pid_t tid)
{
	return INSIST(ptrace(PTRACE_LISTEN, tid, 0L, 0L));
}

/* Returns 0 if the tracee is let go; -1 if there is news of it first. */
int
trace_detach(pid_t tid, int signal)
{
	return has_moved(tid) ? -1 : INSIST(ptrace(PTRACE_DETACH, tid, 0L, (long)signal));
}

int
trace_message(pid_t tid, unsigned long *message)
{
	return INSIST(ptrace(PTRACE_GETEVENTMSG, tid, 0L, message));
}

/* Has the kernel itself sent the signal, for a fault of the thread's? */
bool
trace_is_fault(pid_t tid)
{
	siginfo_t info = { 0 };

	return INSIST(ptrace(PTRACE_GETSIGINFO, tid, 0L, &info)) == 0 && info.si_code > 0;
}

/* Whether a signal that a thread is about to get comes from its own PID namespace, or one below,
 * and not from the kernel. */
bool
trace_is_from_inside(pid_t tid)
{
	siginfo_t info = { 0 };

	if (INSIST(ptrace(PTRACE_GETSIGINFO, tid, 0L, &info)) < 0)
		return false;
	/* These have no sender. */
	if (info.si_code > 0 || info.si_code == SI_TIMER || info.si_code == SI_SIGIO)
		return info.si_code != SI_KERNEL;
	return info.si_pid != 0;
}

int
trace_call(pid_t tid, struct trace_call *call)
{
	struct __ptrace_syscall_info info = { 0 };

	if (INSIST(ptrace(PTRACE_GET_SYSCALL_INFO, tid, sizeof(info), &info)) < 0)
		return -1;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		call->entry = true;
		/* Other kinds, as a 64-bit program's 32-bit calls, have other numbers. */
		call->nr = info.arch == arch_audit ? info.entry.nr : UINT64_MAX;
		for (int i = 0; i < 6; i++)
			call->args[i] = info.entry.args[i];
		return 0;
	}
	if (info.op == PTRACE_SYSCALL_INFO_EXIT) {
		call->entry = false;
		call->result = info.exit.rval;
		return 0;
	}
	errno = EINVAL;
	return -1;
}
