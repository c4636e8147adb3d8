/*
 * Tracing: events, registers, system calls and filters of a stopped thread.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_PTRACE_H
#define PROFSUP_PTRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Names of system calls, by a table that is made of the kernel's header (syscall-names.sh); NULL: a
 * number has none. */
extern const char *const syscall_names[];
extern const size_t syscall_names_n;

/* event.c: classify() is pure */
enum event_kind {
	EVT_EXITED,     /* the thread is gone: nothing to resume */
	EVT_SIGNAL,     /* signal-delivery-stop: resume with the signal */
	EVT_GROUP_STOP, /* resume by listening */
	EVT_TRAP,       /* our interrupt, a first stop, or the end of a group-stop: resume */
	EVT_SYSCALL,    /* entry or exit of a system call: resume */
	EVT_FORK,       /* fork or clone; message = the new thread's id: resume */
	EVT_VFORK,      /* like EVT_FORK, but the creator waits until the child ends or execs */
	EVT_VFORK_DONE, /* resume */
	EVT_EXEC,       /* message = former thread id: resume */
	EVT_EXIT,       /* about to end, with its memory still there: resume */
	EVT_UNKNOWN,    /* resume */
};
struct event {
	pid_t tid;
	enum event_kind kind;
	int signal;
};
struct event event_classify(pid_t tid, int status);
bool event_is_stop_signal(int sig);

/* Registers of a stopped thread. */
struct arch_regs {
	uint64_t pc;
	uint64_t sp, fp; /* stack pointer and frame pointer */
	uint64_t base;   /* machine_frames.base; 0: there is none */
	uint64_t link;   /* return address of a leaf function; 0: machines that push it */
	uint64_t result;
	uint64_t thread_pointer;
	long syscall; /* number of the call it stopped in, -1 = none */
};

/* ptrace.c */
struct trace_call {
	bool entry;
	uint64_t nr;
	uint64_t args[6];
	int64_t result;
};
int trace_seize(pid_t tid, bool kill_on_exit);
bool trace_has(pid_t tid);
bool trace_has_changed(pid_t tid);
int trace_interrupt(pid_t tid);
int trace_resume(pid_t tid, bool watch, int signal);
int trace_listen(pid_t tid);
int trace_detach(pid_t tid, int signal);
int trace_message(pid_t tid, unsigned long *message);
bool trace_is_fault(pid_t tid);
bool trace_is_from_inside(pid_t tid);
int trace_call(pid_t tid, struct trace_call *call);

/* A system call that a thread has made, or is to make. */
struct made_call {
	uint64_t pc; /* address behind the call's instruction */
	long nr;
	uint64_t args[6];
	int64_t result;
};
bool trace_filters_allow(pid_t tid, const struct made_call *made);

/* arch_*.c */
int trace_regs(pid_t tid, struct arch_regs *regs);
int trace_set_result(pid_t tid, int64_t result);
int trace_set_number(pid_t tid, long nr); /* at the entry of a system call */
/* Reads from the registers which system call the thread has made.  -1 with ENOSYS also if the call
 * is not of the native kind, or the registers do not tell. */
int trace_made(pid_t tid, struct made_call *made);
/* Makes the thread make this call when it goes on, with the instruction of its last one; or go on
 * behind this call, with the result. */
int trace_make_call(pid_t tid, const struct made_call *call);
int trace_end_call(pid_t tid, const struct made_call *call, int64_t result);

/* filter.c: would a thread's own filter let a call through? */
struct sock_filter;
struct seccomp_data;
bool filter_allows(const struct sock_filter *program, size_t n, const struct seccomp_data *data);

#endif
