/*
 * A model of ptrace: threads, what they can do, and what is heard of them.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef ORDERS_H
#define ORDERS_H

#include "trace/trace.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>

enum { MOST_THREADS = 8, MOST_HAPPENINGS = 16, US = 100, FIRST = 1000 };

enum life {
	NOWHERE, /* not made yet */
	RUNS,
	STOPS,   /* in a stop */
	LISTENS, /* in a group-stop that has been heard of */
	VFORKS,  /* waits for the end of a vfork */
	EXECS,   /* waits for the other threads to end */
	DIES,    /* is about to come to its exit stop, or to end */
	ZOMBIE,  /* has ended, and nobody has heard of it */
	GONE,
};

struct thread {
	enum life life;
	int process; /* number of the first thread */
	int creator; /* number, -1: none */
	bool traced;
	bool news;  /* there is, of: */
	int status; /* a wait status */
	unsigned long message;
	bool asked;     /* PTRACE_INTERRUPT is on its way */
	bool by_itself; /* it exits alone */
	bool vforked;   /* its creator waits */
	bool stopped;   /* its process is in a group-stop */
	bool begins;    /* it is not past its first stop */
};

extern struct thread threads[MOST_THREADS];
extern int nthreads;
extern uint64_t now;
extern bool showing, ran_stopped; /* a thread was let go on in its process's group-stop */
extern struct profsup *run;
extern unsigned begun, finished, dropped; /* profiles */

/* model.c */
void show(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
extern const int group_stop; /* a wait status */
int number(pid_t tid);
pid_t tid_of(const struct thread *t);
bool is_alive(const struct thread *t);
int alive(int process);
void tell(struct thread *t, int sig, int event);
struct thread *new_thread(int process, int creator);
void wake_vfork(const struct thread *t);
void finish_exec(int process);
void tell_leader(int process);
void die(struct thread *t);

/* happenings.c: what can happen next; each returns whether it can, and does it if `really` */
typedef bool happen(struct thread *t, bool really);
extern happen *const happenings[];
extern const int nhappenings;
extern int actions; /* that may still be */
enum { KILL, STOP, SAMPLE, DETACH, FROM_OUTSIDE };
extern int outside[FROM_OUTSIDE]; /* the same, of what is done to the threads */
extern bool let_go;

/* supervisor.c */
void begin_profile(struct proc *proc);

#endif
