/*
 * The loop: wait for a child's news or the clock, take all the news, then the tick.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Between two ticks at most so many events: news must not keep the clock waiting. */
enum { MAX_EVENTS = 256 };
/* How long to wait for the threads of a round before looking at it again. */
#define MOMENT_NS 100000

/*
 * Who asks for anybody's news hears of the newest tracees first: those that never stop making news
 * could keep older ones' from us, and them stopped, for good.  Here each is asked by name.
 */
static void
ask_each(struct profsup *ps)
{
	const unsigned n = HASH_COUNT(ps->tracees);
	pid_t *tid = calloc(n + 1, sizeof(*tid));
	unsigned known = 0;

	if (tid == NULL)
		return;
	/* What one tells may be the end of others. */
	for (const struct tracee *t = ps->tracees; t != NULL; t = t->hh.next)
		tid[known++] = t->tid;
	for (unsigned i = 0; i < known; i++) {
		int status;

		if (tracee_find(ps, tid[i]) != NULL &&
		    waitpid(tid[i], &status, __WALL | WNOHANG) == tid[i]) {
			struct event ev = event_classify(tid[i], status);

			dispatch(ps, &ev);
		}
	}
	free(tid);
}

/* False: nobody is left.  Whatever else goes wrong, there may be news that SIGCHLD has announced
 * and will not announce again: the supervisor sends it to itself. */
static bool
drain_events(struct profsup *ps)
{
	static unsigned unasked; /* events since we last heard of all */

	for (int i = 0; i < MAX_EVENTS; i++) {
		int status;
		pid_t tid = waitpid(-1, &status, __WALL | WNOHANG);
		struct event ev;

		if (tid == 0) {
			unasked = 0;
			return true;
		}
		if (tid < 0 && errno == ECHILD)
			return false;
		if (tid < 0)
			break;
		ev = event_classify(tid, status);
		dispatch(ps, &ev);
	}
	unasked += MAX_EVENTS;
	if (unasked >= HASH_COUNT(ps->tracees)) {
		unasked = 0;
		ask_each(ps);
	}
	kill(getpid(), SIGCHLD);
	return true;
}

/* For a child's news, the tick, or a moment: one system call that waits and takes.  Returns the
 * signal that tells, 0 for none. */
static int
wait_for_signal(const struct profsup *ps, bool briefly)
{
	const struct timespec moment = { .tv_nsec = MOMENT_NS };
	siginfo_t info;
	int sig = sigtimedwait(&ps->signals, &info, briefly ? &moment : NULL);

	/* Anybody with our uid can send us one. */
	if (sig < 0 || (sig == TICK_SIGNAL && info.si_code != SI_TIMER))
		return 0;
	return sig;
}

/* The front is gone, and everybody is to go with it: when we end, the kernel sees to that. */
static bool
is_to_end(struct profsup *ps)
{
	if (!ps->opt.kill_on_exit || getppid() == ps->front)
		return false;
	gate_finish_all(ps);
	return true;
}

/* Returns when the last tracee is gone, by its own end or because it was let go. */
void
loop_run(struct profsup *ps)
{
	if (!drain_events(ps))
		return;
	for (;;) {
		const int sig = wait_for_signal(ps, round_step(ps));

		/* Asking for news without a signal costs a walk over all tracees. */
		if (sig == SIGCHLD && !drain_events(ps))
			return;
		if (sig == TICK_SIGNAL) {
			if (gate_tick(ps))
				dispatch_let_go(ps);
			sampler_tick(ps);
			if (dispatch_orphans(ps))
				ask_each(ps);
			progress_tick();
			top_tick(ps);
			if (is_to_end(ps))
				return;
		}
		if (ps->gate == GATE_OVER && ps->tracees == NULL)
			return;
	}
}
