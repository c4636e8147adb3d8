/*
 * A simulated Linux: CPUs, a scheduler, ptrace, /proc and perf, in virtual time, from a seed.  The
 * supervisor's own code runs on it, and everything that happens is known exactly.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef SIM_H
#define SIM_H

#include "process/process.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What differs from machine to machine, and from kernel to kernel.  Times in ns. */
struct machine {
	unsigned cpus;
	uint64_t tick;      /* from one interrupt of the kernel's clock to the next, on each CPU */
	uint64_t slice;     /* of the fair class */
	bool lazy;          /* a thread of the fair class preempts one at the kernel's tick only */
	bool short_slices;  /* the kernel knows of slices that a thread has asked for */
	uint64_t interrupt; /* from asking another CPU to its hearing of it, at least */
	uint64_t slow;      /* the same where its host has taken that CPU */
	unsigned slow_in_1000; /* how often that is so */
	uint64_t switching;    /* what a change of threads costs */
	uint64_t timer;        /* how late a timer goes off, on average */
	uint64_t file;         /* what the end of a process costs us, with its file */
	unsigned dear;         /* what calls cost, per cent of usual */
	uint64_t stolen;       /* for how long the host takes a CPU away; 0: it never does */
	uint64_t not_stolen;   /* how long the CPU has been there between */
	uint64_t quota;        /* CPU time of all in each 100 ms; 0: any */
	bool root;             /* the supervisor may have real-time priority */
	bool autogroup;        /* each session is one for the scheduler */
	/* late.c */
	uint64_t memory_late; /* how late memory of programs is where it is; 0: it never is */
	unsigned memory_late_in_1000;              /* how often that is so */
	uint64_t files_late;                       /* how long a file takes at the most */
	uint64_t files_frozen_at, files_thawed_at; /* meanwhile no file is made */
	bool files_hang; /* they are on a file system that is known to do so */
};

/* What a program does.  It begins anew at its end. */
enum op {
	OP_END, /* of the script: begin anew */
	OP_RUN,
	OP_CALL,  /* a system call that computes */
	OP_SLEEP, /* a system call that waits */
	OP_HOP,   /* one that binds the thread to the next CPU */
	OP_CLONE,
	OP_FORK,
	OP_EXIT,
};
struct step {
	enum op op;
	unsigned function; /* where it is */
	uint64_t ns;
	unsigned spread;           /* the time is so many per cent longer or shorter */
	const struct step *script; /* OP_CLONE, OP_FORK: what the new one does */
};
enum { FUNCTIONS = 16 };
#define FUNCTION_BYTES 4096UL

/* The supervisor is of the first. */
enum session { OURS, THEIRS, BYSTANDERS, SESSIONS };

/* A process, and what is known of it. */
struct process {
	pid_t pid;
	bool bystander; /* not profiled, and there until the run ends */
	enum session session;
	unsigned threads;                           /* that are not gone */
	uint64_t until;                             /* it ends when it has used so much CPU time */
	uint64_t used, spent[FUNCTIONS];            /* CPU time: all, and in each function */
	uint64_t booked[FUNCTIONS];                 /* ticks that were booked to each function */
	uint64_t elsewhere;                         /* ticks that were booked to no function */
	unsigned files;                             /* how often its profile was written */
	struct region *region;                      /* late.c: its memory, */
	uint64_t frozen_at, thawed_at;              /* which does not answer meanwhile */
	uint64_t calls[FUNCTIONS], told[FUNCTIONS]; /* calls, and those that its file has */
	unsigned encoded;                           /* how often the file's bytes were made */
	bool calls_lost, file_lost;                 /* the user was told so */
	bool early;                                 /* it had ended before its file was there */
	struct process *next;
};

enum priority { IDLE, FAIR, REALTIME, DEADLINE };
enum state { READY, RUNNING, BLOCKED, STOPPED, GONE };

/* What takes turns on a CPU: a thread of the fair class, or all those of a session there. */
struct entity {
	uint64_t slice;
	int64_t vruntime, deadline, lag, lag_at;
	int64_t protected_until; /* its vruntime until which it is not preempted by its like */
};

/* Words of a place that the compiler's jumps lead to. */
enum { JUMP = 5 };

struct thread {
	pid_t tid;
	struct process *process; /* NULL: it is the supervisor's */
	struct thread *next, *next_alive;

	/* sched.c */
	enum state state;
	enum priority class;
	int priority; /* REALTIME: the higher the better */
	int cpu;
	uint64_t allowed; /* CPUs, a bit each */
	struct entity fair;
	uint64_t before;     /* what the kernel has to do for it before it goes on */
	uint64_t left;       /* CPU time until its step is done */
	uint64_t ran;        /* all of its CPU time */
	uint64_t account;    /* the same, as the scheduler has added it up by now */
	uint64_t exec_start; /* when it did so last */
	uint64_t ready_at, waited, slices;
	uint64_t ticks, system_ticks; /* of the kernel's clock: all, and in calls */
	uint64_t turn;                /* number of its last queueing */

	/* ours: it runs the supervisor's code */
	void *place[JUMP]; /* where it goes on, once it has begun */
	bool begun;
	void *stack;
	void *(*run)(void *);
	void *arg;
	uint64_t sleep;  /* number of its present sleep */
	uint64_t urgent; /* its CPU time at real-time priority */

	/* tracees.c: it runs a script */
	const struct step *script;
	size_t at;
	bool in_call;
	bool was_call;    /* it has stopped at the end of a call */
	bool interrupted; /* PTRACE_INTERRUPT is on its way */
	bool stopping;    /* it is on its way to its stop */
	bool exiting;     /* its exit stop is past */
	bool begins;      /* its first stop is not over */
	int stop;         /* wait status of the stop that it is on its way to */
	bool has_news;    /* that nobody has taken yet: */
	int news;         /* a wait status */
	bool reaped;      /* its end was taken */
	uint64_t rest;    /* `left` when it began its way to a stop */
	unsigned long message;
	uint64_t wakes_at;   /* when its sleep is over */
	uint64_t stopped_at; /* when it stopped */
	uint64_t kept;       /* how long it was in stops for samples */
	uint64_t longest;    /* the longest of them */
	uint64_t held;       /* the longest of other stops */
	struct perf_clock {
		uint64_t period; /* 0: there is none */
		uint64_t next;   /* CPU time at which it goes off */
	} clock;
};

/* engine.c: what happens when */
typedef void happen(void *arg, uint64_t number);
extern uint64_t now;
extern bool tracing;
void engine_seed(uint64_t seed);
uint64_t engine_random(uint64_t below);
uint64_t engine_spread(uint64_t ns, unsigned percent);
void engine_at(uint64_t at, happen *what, void *arg, uint64_t number);
void engine_run(void);
void engine_stop(void);
void engine_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* sched.c: CPUs and threads */
extern struct machine machine;
extern struct thread *threads;
struct thread *sched_new(struct process *process);
struct thread *sched_find(pid_t tid);
struct thread *sched_self(void);
void sched_begin(void);
void sched_wake(struct thread *t);
void sched_leave(struct thread *t, enum state state);
void sched_goes_on(struct thread *t);
void sched_set_class(struct thread *t, enum priority class, int priority);
void sched_again(struct thread *t);
void sched_move(struct thread *t, uint64_t allowed);
uint64_t sched_interrupt_ns(void);
void sched_settle(void);

/* ours.c: threads of the supervisor's */
struct thread *ours_start(void *(*run)(void *), void *arg);
void ours_go_on(struct thread *t);
void ours_spend(uint64_t ns);
bool ours_sleep(uint64_t until);
void ours_signal(int sig);
int ours_take_signal(uint64_t until);

/* tracees.c: threads of programs */
struct thread *tracees_new(struct process *process, const struct step *script);
struct process *tracees_process(uint64_t until, enum session session);
void tracees_step(struct thread *t);
void tracees_scheduled(struct thread *t);
void tracees_spent(struct thread *t, uint64_t ns);
pid_t tracees_news(pid_t tid, int *status);
int tracees_pc(const struct thread *t, uint64_t *pc);
bool tracees_is_in_call(const struct thread *t);
extern struct process *processes;

/* perf.c */
void perf_spent(struct thread *t, uint64_t ns);

/* libc.c */
extern uint64_t waited_in_vain; /* for semaphores */

/* late.c */
struct proc;
void late_new(struct process *p);
void late_call(struct process *p, unsigned function);
void late_begin(struct proc *proc);

/* kinds.c */
struct kind {
	const char *name, *what;
	void (*make)(void);
	const struct step *script;
	unsigned ms;    /* CPU time of all */
	unsigned crowd; /* threads for each CPU; 0: there is one thread */
	unsigned hz;
	bool perf;
	bool plain; /* run by a plain user */
	bool steal; /* the host takes CPUs away */
	enum late {
		NEVER_LATE,
		ASKED_MEMORY,
		LATE_MEMORY,
		LATE_FILES
	} late;     /* late.c: where there are any */
	bool quota; /* they may use so much CPU time */
	bool autogroup;
	enum session session; /* of the programs; bystanders have their own */
	double bias; /* by how many points the share of a function may be off, over all seeds */
	unsigned stop_ms;  /* the longest stop for a sample; 0: the usual */
	unsigned usual_us; /* the same, on nine machines of ten; 0: not looked at */
	bool costly;       /* takes so long that a run of all kinds has one machine in five of it */
	unsigned samples;  /* the least of 100 ticks that are samples, over all seeds; 0: any */
	unsigned unseen;   /* the most ticks that are not seen, of 100 that are; 0: any */
	unsigned own;      /* the most of our CPU time, % of the program's; 0: any */
};
extern const struct kind *kind;
extern const struct kind kinds[];
extern const size_t nkinds;
void kinds_beside(unsigned n);

#endif
