/*
 * The front: the process that the caller started and waits for.
 *
 * It is the target's parent and does nothing but stand for it: it stops when the target is stopped,
 * goes on when it goes on, and in the end exits or dies as the target did.  The tracing is done by
 * a child of its own, in a group of its own, so that no terminal or group signal ever stops the
 * tracer, and a crash of the tracer costs a profile and not the target's exit status.
 *
 * SPDX-License-Identifier: ISC
 */
#include "start/start.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static sigset_t all_signals; /* the C library's own calls leave out two that it uses itself */

#define SAVE_LOOK_US 10000

/* In shared memory. */
static volatile struct {
	bool started;   /* the supervisor has started the program */
	bool leaves;    /* it is done, but can't end: a thread of it waits for a disk */
	int status;     /* and with this */
	pid_t saver;    /* the copy of it that has killed it; < 0: and is done */
	unsigned wakes; /* how often it has told us that the target goes on, or is gone */
	unsigned asked; /* how often we were asked for a snapshot */
} * told;

/* Called before there is a supervisor.  Exits on failure. */
void
front_prepare(struct profsup *ps)
{
	told = apart_memory(sizeof(*told));
	if (told == NULL)
		log_fatal("mmap: %m");
	ps->front.wakes = (unsigned *)&told->wakes;
	ps->front.asked = (unsigned *)&told->asked;
	memset(&all_signals, 0xff, sizeof(all_signals));
}

/* Called in the supervisor, just before the program may exec. */
void
front_note_start(void)
{
	told->started = true;
}

/* Called in the supervisor, at its end: the front is not to wait until it is gone. */
void
front_leave(const struct profsup *ps, int status)
{
	told->status = status;
	told->leaves = true;
	syscall(SYS_pidfd_send_signal, ps->front.pidfd, SIGCHLD, NULL, 0);
}

/* Called in a copy of the supervisor, before it kills that, and when all is written. */
void
front_save(bool done)
{
	told->saver = done ? -1 : getpid();
}

static void
set_mask(const sigset_t *mask, sigset_t *old)
{
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, mask, old, _NSIG / 8);
}

/* Whether the target went on while we were about to stop. */
static bool
has_continued(pid_t target)
{
	siginfo_t info = { 0 };

	return target > 0 &&
	       waitid(P_PID, (id_t)target, &info, WCONTINUED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == target;
}

static pid_t waker = -1; /* the child that has stopped us, and woken us at once, or -1 */

/* Stops us, unless the supervisor has woken us since there were `wakes`.  SIGSTOP can't be pending:
 * one that came after the last wake would last for ever.  So a child, which it does not stop, sends
 * it and looks for a wake afterwards. */
static void
stop(unsigned wakes)
{
	const int us = (int)syscall(SYS_pidfd_open, getpid(), 0);
	int woken = false;

	waker = us < 0 ? -1 : fork();
	if (waker < 0) {
		kill(getpid(), SIGSTOP);
	} else if (waker > 0) {
		waitpid(waker, &woken, 0);
	} else {
		syscall(SYS_pidfd_send_signal, us, SIGSTOP, NULL, 0);
		if (told->wakes == wakes)
			_exit(false);
		syscall(SYS_pidfd_send_signal, us, SIGCONT, NULL, 0);
		_exit(true);
	}
	close(us);
	if (!woken)
		waker = -1; /* its number may soon be another's */
}

/*
 * Takes one signal with its default effect.  A terminal's stop signal is made pending before we ask
 * whether the target has gone on: a SIGCONT that comes after the question removes the stop signal.
 */
static void
suffer(int sig, pid_t target)
{
	const uint64_t others = ~(1ULL << (sig - 1));
	const unsigned wakes = told->wakes;
	sigset_t set = all_signals, old;

	signal(sig, SIG_DFL);
	memcpy(&set, &others, sizeof(others)); /* sigdelset(3) does not take the two, either */
	if (sig != SIGSTOP)
		kill(getpid(), sig);
	if (has_continued(target))
		kill(getpid(), SIGCONT);
	else if (sig == SIGSTOP)
		stop(wakes);
	set_mask(&set, &old);
	set_mask(&old, NULL);
}

/* The target has dumped its core if it was to; a second one would only overwrite it. */
static void __attribute__((noreturn)) end_as(int status)
{
	const struct rlimit none = { 0, 0 };

	if (WIFEXITED(status))
		exit(WEXITSTATUS(status));
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, 0UL, 0UL, 0UL, 0UL);
	suffer(WTERMSIG(status), -1);
	exit(128 + WTERMSIG(status));
}

/* How long we wait for the supervisor: a signal that is sent to all processes may find the target
 * gone and its file not yet written. */
#define GRACE_NS (2 * NSEC)

struct front {
	pid_t target, supervisor; /* target -1: the processes of -p are no children of ours */
	bool target_lives, supervisor_lives;
	bool target_stopped; /* as last heard of */
	int status;          /* the target's wait status; without a target the supervisor's */
};

/* A stopped target that has left our group does not get the shell's SIGCONT; nor does a target in
 * our group, if SIGCONT was sent to us alone.  The supervisor's SIGCONT only tells us that the
 * target goes on. */
static void
pass_on_continue(const struct front *f, pid_t sender)
{
	const bool is_ours = sender == f->supervisor || sender == waker;

	if (f->target_lives && f->target_stopped && !is_ours && !has_continued(f->target))
		kill(f->target, SIGCONT);
}

static void
end_if_all_is_done(const struct front *f)
{
	const struct timespec grace = { .tv_sec = GRACE_NS / NSEC };
	siginfo_t info = { 0 };
	sigset_t news;

	sigemptyset(&news);
	sigaddset(&news, SIGCHLD);
	do {
		if (waitid(P_PID, (id_t)f->supervisor, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		    info.si_code == CLD_EXITED) {
			reader_show();
			end_as(f->status);
		}
	} while (sigtimedwait(&news, NULL, &grace) == SIGCHLD);
}

/* We only wait: with -p for the supervisor, whose profile the interrupt key and its like end, else
 * for descendants of the target, which have lives of their own: what would end or stop a job means
 * us. */
static void
suffer_alone(const struct front *f, const struct signalfd_siginfo *info)
{
	const int sig = (int)info->ssi_signo;

	if (f->target < 0 && sig == SIGINT && inherit_ignores(sig) &&
	    info->ssi_code <= 0) { /* not the terminal's */
		log_notice("SIGINT is ignored, as by the caller, a shell that has started this in "
		           "the background: SIGTERM ends the profile");
	} else if (f->target < 0 && inherit_ends_jobs(sig)) {
		kill(f->supervisor, SIGTERM);
	} else if (inherit_ends_jobs(sig)) {
		end_if_all_is_done(f);
		end_as(sig);
	} else if (sig == SIGTSTP && !inherit_ignores(sig)) {
		suffer(sig, -1);
	}
}

/* Whoever wants the program to end is told why it does not.  What our caller ignores the program
 * ignores, too, as it was meant to. */
static void
say_if_ignored(const struct front *f, int sig)
{
	char comm[32] = "?", safe[32];
	struct signal_use use;

	if (!inherit_ends_jobs(sig))
		return;
	procfs_signal_use(f->target, sig, &use);
	if (!use.ignored)
		return;
	procfs_comm(f->target, comm, sizeof(comm));
	log_notice("SIG%s is passed on to %s, process %d, which ignores it", sigabbrev_np(sig),
	           log_safe(comm, safe, sizeof(safe)), f->target);
}

/* The terminal sends its signals to the whole process group, with the target.  A signal that was
 * sent to us alone was meant for the target, and so was the terminal's if the target has left our
 * group, unless we were told to ignore it.  SIGUSR2 is for us, and so is what we bring about
 * ourselves: a message may find that nobody reads stderr (SIGPIPE), or that it is too long a file
 * (SIGXFSZ). */
static void
pass_on(const struct front *f, const struct signalfd_siginfo *info)
{
	const int sig = (int)info->ssi_signo;
	const bool terminal = info->ssi_code > 0;

	if (sig == SIGCHLD || (pid_t)info->ssi_pid == getpid())
		return;
	if (sig == SIGUSR2) {
		if (f->supervisor_lives) {
			/* We count, since any process of the same user could send the signal. */
			__atomic_add_fetch(&told->asked, 1, __ATOMIC_SEQ_CST);
			kill(f->supervisor, CONTROL_SIGNAL);
		}
		return;
	}
	if (sig == SIGCONT)
		pass_on_continue(f, (pid_t)info->ssi_pid);
	else if (!f->target_lives)
		suffer_alone(f, info);
	else if (!terminal || (getpgid(f->target) != getpgrp() && !inherit_ignores(sig))) {
		say_if_ignored(f, sig);
		kill(f->target, sig);
	}
}

static void
say_supervisor_died(int sig, const char *loss)
{
	/* What has no name is ignored, and kills nobody. */
	log_error("the supervisor was killed by signal %d (SIG%s): %s%s", sig, sigabbrev_np(sig),
	          loss,
	          sig == SIGSYS && !told->started && procfs_has_filter(getpid())
	              ? " (a seccomp filter kills it: a container needs another"
	                " profile or --cap-add=SYS_PTRACE, a unit SystemCallFilter=@debug)"
	              : "");
}

static void
take_child(struct front *f, pid_t pid, int status)
{
	if (pid == f->target)
		f->target_stopped = WIFSTOPPED(status);
	if (pid == f->supervisor && WIFSTOPPED(status)) {
		kill(pid, SIGCONT); /* stopped targets depend on it */
	} else if (pid == f->target && WIFSTOPPED(status)) {
		suffer(WSTOPSIG(status), f->target);
	} else if (pid == f->target && !WIFCONTINUED(status)) {
		f->target_lives = false;
		f->status = status;
	} else if (pid == f->supervisor && !WIFSTOPPED(status) && !WIFCONTINUED(status)) {
		f->supervisor_lives = false;
		if (f->target < 0)
			f->status = WIFEXITED(status) ? status : W_EXITCODE(EXIT_OURS, 0);
		if (!WIFEXITED(status) && told->saver == 0) /* else it has said why itself */
			say_supervisor_died(WTERMSIG(status), f->target < 0 ? "no profile"
			                                      : told->started
			                                          ? "no profiles from here on"
			                                          : "the program was not run");
	}
}

/* Does not return until target and supervisor are gone; then ends as the target did, or, with -p,
 * where `target` is -1, as the supervisor did. */
void __attribute__((noreturn)) front_run(pid_t target, pid_t supervisor)
{
	struct front f = { target, supervisor, target >= 0, true, false, 0 };
	struct signalfd_siginfo info;
	const int fd = signalfd(-1, &all_signals, SFD_CLOEXEC);

	log_never_wait(false);
	if (fd < 0)
		log_error("signalfd: %m: job control will not work");
	while (f.target_lives || f.supervisor_lives) {
		int status;
		pid_t pid;

		if (fd >= 0 && read(fd, &info, sizeof(info)) == sizeof(info)) {
			/* A target that has just ended takes no signal any more. */
			if (f.target_lives && waitpid(target, &status, WNOHANG) == target)
				take_child(&f, target, status);
			pass_on(&f, &info);
		}
		if (told->leaves)
			take_child(&f, supervisor, W_EXITCODE(told->status, 0));
		while ((pid = waitpid(-1, &status,
		                      (fd >= 0 ? WNOHANG : 0) | WUNTRACED | WCONTINUED)) > 0)
			take_child(&f, pid, status);
	}
	/* It is our child if we are the first process of a container. */
	while (told->saver > 0 && waitpid(told->saver, NULL, WNOHANG) <= 0 &&
	       (kill(told->saver, 0) == 0 || errno == EPERM))
		usleep(SAVE_LOOK_US);
	reader_show();
	end_as(f.status);
}
