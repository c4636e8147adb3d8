/*
 * event_classify(): every wait status that a seized tracee can have.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"
#include "tap.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define N(array) (sizeof(array) / sizeof((array)[0]))

/* As the kernel puts them together (no header does). */
#define EXITED(code)       ((code) << 8)
#define KILLED(sig)        (sig)
#define KILLED_DUMPED(sig) ((sig) | 0x80)
#define STOPPED(sig)       ((sig) << 8 | 0x7f)
#define EVENT(event, sig)  ((event) << 16 | STOPPED(sig))

struct point {
	int status;
	enum event_kind kind;
	int signal;
	const char *says;
};

static const struct point points[] = {
	{ EXITED(0), EVT_EXITED, 0, "exit status 0 is gone" },
	{ EXITED(1), EVT_EXITED, 0, "exit status 1 is gone" },
	{ EXITED(127), EVT_EXITED, 0, "exit status 127 (all stop bits in another byte) is gone" },
	{ EXITED(255), EVT_EXITED, 0, "exit status 255 is gone" },
	{ KILLED(SIGKILL), EVT_EXITED, SIGKILL, "death by SIGKILL is gone, by that signal" },
	{ KILLED(SIGTERM), EVT_EXITED, SIGTERM, "death by SIGTERM is gone" },
	{ KILLED_DUMPED(SIGSEGV), EVT_EXITED, SIGSEGV, "death with a core dump is gone" },
	{ KILLED_DUMPED(SIGSYS), EVT_EXITED, SIGSYS, "death by a seccomp filter is gone" },
	{ KILLED(64), EVT_EXITED, 64, "death by a real-time signal is gone" },

	{ STOPPED(SIGTRAP | 0x80), EVT_SYSCALL, SIGTRAP | 0x80, "SIGTRAP|0x80 is a syscall-stop" },

	{ EVENT(PTRACE_EVENT_STOP, SIGSTOP), EVT_GROUP_STOP, SIGSTOP, "SIGSTOP's group-stop" },
	{ EVENT(PTRACE_EVENT_STOP, SIGTSTP), EVT_GROUP_STOP, SIGTSTP, "SIGTSTP's group-stop" },
	{ EVENT(PTRACE_EVENT_STOP, SIGTTIN), EVT_GROUP_STOP, SIGTTIN, "SIGTTIN's group-stop" },
	{ EVENT(PTRACE_EVENT_STOP, SIGTTOU), EVT_GROUP_STOP, SIGTTOU, "SIGTTOU's group-stop" },
	{ EVENT(PTRACE_EVENT_STOP, SIGTRAP), EVT_TRAP, SIGTRAP,
	  "our interrupt, a first stop and the end of a group-stop are traps" },

	{ EVENT(PTRACE_EVENT_FORK, SIGTRAP), EVT_FORK, SIGTRAP, "fork" },
	{ EVENT(PTRACE_EVENT_VFORK, SIGTRAP), EVT_VFORK, SIGTRAP, "vfork" },
	{ EVENT(PTRACE_EVENT_CLONE, SIGTRAP), EVT_FORK, SIGTRAP, "clone" },
	{ EVENT(PTRACE_EVENT_VFORK_DONE, SIGTRAP), EVT_VFORK_DONE, SIGTRAP, "the end of a vfork" },
	{ EVENT(PTRACE_EVENT_EXEC, SIGTRAP), EVT_EXEC, SIGTRAP, "exec" },
	{ EVENT(PTRACE_EVENT_EXIT, SIGTRAP), EVT_EXIT, SIGTRAP, "the exit stop is not the end" },
	{ EVENT(PTRACE_EVENT_SECCOMP, SIGTRAP), EVT_UNKNOWN, SIGTRAP,
	  "a seccomp stop, which we did not ask for, is resumed and no more" },
	{ EVENT(100, SIGTRAP), EVT_UNKNOWN, SIGTRAP, "so is an event of a later kernel" },
};

static void
known_statuses(void)
{
	for (size_t i = 0; i < N(points); i++) {
		const struct point *p = &points[i];
		struct event ev = event_classify(42, p->status);

		if (!ok(ev.kind == p->kind && ev.signal == p->signal && ev.tid == 42, "%s",
		        p->says))
			diag("status %#x: kind %d, signal %d", (unsigned)p->status, (int)ev.kind,
			     ev.signal);
	}
}

/* Delivery of each signal, also of those that can stop a process, is a delivery. */
static void
all_signals(void)
{
	int wrong_delivery = 0, wrong_death = 0, wrong_group = 0;

	for (int sig = 1; sig <= 64; sig++) {
		bool stops = sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
		struct event ev = event_classify(1, STOPPED(sig));

		wrong_delivery += ev.kind != EVT_SIGNAL || ev.signal != sig;
		ev = event_classify(1, KILLED(sig));
		wrong_death += ev.kind != EVT_EXITED || ev.signal != sig;
		ev = event_classify(1, EVENT(PTRACE_EVENT_STOP, sig));
		wrong_group += ev.kind != (stops ? EVT_GROUP_STOP : EVT_TRAP) || ev.signal != sig;
	}
	is_int(wrong_delivery, 0, "every signal from 1 to 64 is delivered as itself");
	is_int(wrong_death, 0, "every signal from 1 to 64 kills as itself");
	is_int(wrong_group, 0, "only the four stop signals make a group-stop");
}

/* The C library reads statuses as we put them together. */
static void
statuses_are_real(void)
{
	ok(WIFEXITED(EXITED(3)) && WEXITSTATUS(EXITED(3)) == 3, "an exit status is one");
	ok(WIFSIGNALED(KILLED_DUMPED(11)) && WCOREDUMP(KILLED_DUMPED(11)) != 0,
	   "a dumped core is one");
	ok(WIFSTOPPED(EVENT(PTRACE_EVENT_STOP, 19)) && WSTOPSIG(EVENT(PTRACE_EVENT_STOP, 19)) == 19,
	   "an event stop is one");
}

int
main(void)
{
	known_statuses();
	all_signals();
	statuses_are_real();
	return done_testing();
}
