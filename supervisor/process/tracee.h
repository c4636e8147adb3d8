/*
 * A thread, and what is known of its time, its stops and its system calls.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_TRACEE_H
#define PROFSUP_TRACEE_H

#include "process/profile.h"

/* owed.c: CPU time of a thread that no sample stands for yet */
struct owed {
	struct thread_time seen; /* account up to which CPU time is owed or booked */
	uint64_t ran_lately;     /* CPU time used, the newer the more, ns */
	uint64_t waited_lately;  /* time waited for a CPU, likewise, ns */
	int64_t debt;            /* ns not yet booked as ticks; below 0: not yet to be */
	int64_t lead;            /* what it was owed to begin with, ns */
};

/* A look at a thread's CPU time. */
struct cpu_look {
	uint64_t at, cpu; /* ns */
};

/* dispatch.c: a thread's first stop and its creator's event come in either order. */
struct birth {
	bool past;                /* the first stop is past */
	uint64_t unclaimed_since; /* when it stopped without a process, ns */
	bool found_alone;         /* a process was found for it before its creator told of it */
};

/* sampler_ptrace.c: the stop for a sample. */
struct sample_stop {
	bool asked;        /* PTRACE_INTERRUPT is on its way */
	bool by_round;     /* for a round: see round.c */
	bool had_our_cpu;  /* the tick found it there */
	uint64_t asked_at; /* when its CPU was taken, ns */
	uint64_t ns;       /* how long the stop lasted until `seen`, ns */
	bool by_clock;     /* PTRACE_INTERRUPT is on its way since the time of a wait is over */
	int signal;        /* what it gets of the signal that it has stopped for */
	uint64_t seen;     /* when it was last seen stopped, ns; 0: it has gone on */
};

/* dispatch_held(): a stop that is not yet dealt with. */
struct hold {
	bool on;
	enum event_kind at; /* kind of the stop */
	uint64_t since;     /* ns */
	int fatal_signal;   /* signal to let it go with, once it may go */
	struct tracee *next;
};

/* calls.c: samples at the ends of system calls. */
struct calls {
	bool begun;             /* there was such a sample */
	uint64_t system_before; /* CPU time in the kernel until the first such sample, ns */
	uint64_t booked;        /* CPU time booked at the ends of calls, ns */
};

/* cpu_time.c, round.c: what a thread has used. */
struct thread_cpu {
	struct owed owed;
	struct cpu_look look;    /* at the last tick */
	struct thread_time then; /* account at the last tick, or at a stop since */
	int number;              /* number of the CPU where it was then */
	struct calls calls;
	bool realtime;   /* was in a real-time class then: nobody may share a CPU with it */
	bool ran;        /* ran, or waited for a CPU, at the last look */
	uint64_t asleep; /* what it had used before it was found asleep, ns; 0: it was not */
	unsigned still;  /* looks in a row at which it had used nothing */
	int stat_fd;     /* /proc files, -1 = not open */
	int sched_fd, left_fd;
};

/* wall_sum.c: a thread's time, of which the parts are the sum, ns. */
struct wall_part {
	uint64_t time, cpu, runnable, blocked;
};
struct wall_sum {
	uint64_t at; /* when it was last added to */
	struct thread_time time;
	uint64_t excess; /* blocked time that was added and is none */
	struct wall_part all;
};

/* wall.c: what a thread waits in. */
struct wall {
	bool begun;
	bool asleep;        /* was found blocked at the last look, in: */
	bool calm;          /* has slept through a look, and so is not among the busy */
	struct stack *seen; /* when it was last found blocked; NULL: never */
	uint64_t asleep_at; /* when it was first seen there, ns */
	uint64_t look_at;   /* when to look again, ns */
	struct wall_sum sum;
};

/* vmshare.c: which arc table a thread counts in. */
struct pointers {
	uint64_t creator_tp; /* thread pointer of the thread that made it */
	uint64_t known_tp;   /* its own thread pointer, if it was doubted */
	bool doubted;
	bool in_vfork; /* waits for a vfork child, which has its memory */
};

/* nap.c: a look at a thread that sleeps. */
struct nap {
	bool watched, sure;
	uint64_t at;
	struct thread_time seen;
};

/* A thread. */
struct tracee {
	pid_t tid;
	struct proc *proc;   /* NULL: stopped before its creator told of it */
	struct tracee *next; /* in proc */
	struct birth birth;
	bool exiting;       /* its exit stop is past */
	bool group_stopped; /* it has come to a group-stop, and is not resumed yet */
	bool listening;     /* it was left in it */
	bool keep_eintr;    /* a stop signal broke its system call, as it would alone */
	bool counted;       /* sampler_perf: has events, or inherited them */
	struct sample_stop stop;
	struct hold hold;
	struct {
		bool due;      /* between entry and exit of an intercepted profil */
		int64_t value; /* its result, or -errno */
	} answer;
	struct continuation *continuation; /* the call that is carried on, or NULL: trace.h */
	struct thread_cpu cpu;
	struct nap nap;
	struct wall wall;
	uint64_t last_pc; /* where it last stopped, 0 = nowhere */
	struct pointers vm;
	UT_hash_handle hh;
};

/* tracee.c */
enum chance { MAY_WAIT, LAST_CHANCE, NO_MEMORY };
enum chance tracee_chance(const struct tracee *t);
struct tracee *tracee_live(const struct proc *proc);
bool tracee_is_lone(const struct profsup *ps);
struct tracee *tracee_find(const struct profsup *ps, pid_t tid);
struct tracee *tracee_add(struct profsup *ps, pid_t tid, struct proc *proc);
void tracee_adopt(struct tracee *t, struct proc *proc);
void tracee_end_continuation(struct tracee *t);
void tracee_drop(struct profsup *ps, struct tracee *t);
void tracee_forget_waits(struct profsup *ps, struct tracee *t);
void tracee_hold(struct profsup *ps, struct tracee *t, enum event_kind at);
void tracee_release(struct profsup *ps, struct tracee *t);
void proc_free(struct proc *proc);
void proc_drop(struct profsup *ps, struct proc *proc);
struct proc *proc_find(const struct profsup *ps, pid_t pid);
struct proc *proc_add(struct profsup *ps, pid_t pid);

#endif
