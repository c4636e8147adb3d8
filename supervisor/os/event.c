/*
 * Turns a wait status into one kind of event.  Pure, so that every status can be tested alone.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

bool
event_is_stop_signal(int sig)
{
	return sig == SIGSTOP || sig == SIGTSTP || sig == SIGTTIN || sig == SIGTTOU;
}

static enum event_kind
classify_event(int event, int sig)
{
	switch (event) {
	case PTRACE_EVENT_STOP:
		return event_is_stop_signal(sig) ? EVT_GROUP_STOP : EVT_TRAP;
	case PTRACE_EVENT_VFORK:
		return EVT_VFORK;
	case PTRACE_EVENT_FORK:
	case PTRACE_EVENT_CLONE:
		return EVT_FORK;
	case PTRACE_EVENT_VFORK_DONE:
		return EVT_VFORK_DONE;
	case PTRACE_EVENT_EXEC:
		return EVT_EXEC;
	case PTRACE_EVENT_EXIT:
		return EVT_EXIT;
	case 0:
		return sig == (SIGTRAP | 0x80) ? EVT_SYSCALL : EVT_SIGNAL;
	default:
		return EVT_UNKNOWN;
	}
}

struct event
event_classify(pid_t tid, int status)
{
	struct event ev = { .tid = tid };

	if (!WIFSTOPPED(status)) {
		ev.kind = EVT_EXITED;
		ev.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		return ev;
	}
	ev.signal = WSTOPSIG(status);
	ev.kind = classify_event((int)((unsigned)status >> 16), ev.signal);
	return ev;
}
