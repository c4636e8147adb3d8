/*
 * What a signal is about to do to a thread; and what our interrupt, which is like a signal, must
 * not do.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>

/* errno values that only the kernel sees; from a stopped tracee, so do we. */
enum { ERESTARTNOHAND_INTERNAL = 514 };

/* Whether a call has failed with EINTR. */
static bool
is_broken(const struct arch_regs *regs)
{
	return regs->syscall >= 0 && (int64_t)regs->result == -EINTR;
}

/*
 * epoll_wait, semop, sigtimedwait and others fail with EINTR when anything wakes them, also our
 * interrupt and, in a traced process only, a signal that it ignores.  Turned into the kernel's own
 * "restart unless a handler runs", the call fails exactly if it would have failed alone.  close(2)
 * has closed its descriptor by then, whose number may be another file's when it is made again.
 */
void
signal_mend_eintr(struct tracee *t, const struct arch_regs *regs)
{
	if (!is_broken(regs))
		t->keep_eintr = false;
	else if (t->keep_eintr) /* of this call, which no later stop takes for its own */
		t->keep_eintr = trace_set_number(t->tid, -1) < 0;
	else if (regs->syscall != SYS_close)
		trace_set_result(t->tid, -ERESTARTNOHAND_INTERNAL);
}

/*
 * Whether the kernel would have dropped a stop signal for the first process of a PID namespace if
 * that were not traced: SIGSTOP from inside of the namespace, the others if nothing handles them.
 * What a tracer passes on does stop it.
 */
static bool
is_dropped(const struct tracee *t, const struct signal_news *news)
{
	if (!event_is_stop_signal(news->number) || !news->use.by_init)
		return false;
	return news->number == SIGSTOP ? trace_is_from_inside(t->tid) : !news->use.caught;
}

static bool
is_nothing_by_default(int sig)
{
	return sig == SIGCHLD || sig == SIGURG || sig == SIGWINCH || sig == SIGCONT;
}

/* Called in the signal's stop: what becomes of the signal. */
void
signal_read(const struct tracee *t, int sig, struct signal_news *news)
{
	news->number = sig;
	procfs_signal_use(t->tid, sig, &news->use);
	news->does_nothing = is_dropped(t, news) || news->use.ignored ||
	                     (is_nothing_by_default(sig) && !news->use.caught);
}

static bool
dumps_core(int sig)
{
	return sig == SIGQUIT || sig == SIGILL || sig == SIGTRAP || sig == SIGABRT ||
	       sig == SIGBUS || sig == SIGFPE || sig == SIGSEGV || sig == SIGXCPU ||
	       sig == SIGXFSZ || sig == SIGSYS;
}

/* Reads the calls before a core dump, which may take long: if SIGKILL ends it, no thread has an
 * exit stop. */
static void
read_before_dump(struct tracee *t, const struct signal_news *news)
{
	struct proc *proc = t->proc;

	if (!dumps_core(news->number) || proc->profile == NULL || proc->end.done ||
	    news->use.caught || news->use.ignored || news->use.by_init)
		return;
	proc->end.begun |= arctable_read(proc) == 0;
	proc->profile->reading.due = 0;
}

/*
 * A fault that nothing handles ends the first process of a PID namespace like any other, but not
 * while it is traced: the kernel then drops the signal, and the process makes the same fault again,
 * for ever.
 */
bool
signal_needs_no_tracer(const struct tracee *t, const struct signal_news *news)
{
	const int sig = news->number;

	return news->use.by_init && !news->use.caught &&
	       (sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE) &&
	       trace_is_fault(t->tid);
}

/* A stop signal breaks a wait with EINTR without us as well, and the SIGCONT after it must not hide
 * that. */
void
signal_delivered(struct tracee *t, const struct signal_news *news)
{
	struct arch_regs regs;
	const bool known = trace_regs(t->tid, &regs) == 0;

	read_before_dump(t, news);
	if (event_is_stop_signal(news->number) && !news->does_nothing && !news->use.caught) {
		t->keep_eintr = known && is_broken(&regs);
		return;
	}
	if (known)
		signal_mend_eintr(t, &regs);
	t->keep_eintr = false;
}
