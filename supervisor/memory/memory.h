/*
 * The memory of processes: copies from and to it, and work on it, in bounded time.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_MEMORY_H
#define PROFSUP_MEMORY_H

#include "code/code.h"

#include <stdatomic.h>

/* A value and its address in a target. */
struct mem_16 {
	uint64_t addr;
	uint16_t value;
};

/* Most bins that wait to be written. */
enum { BINS_FRESH = 128 };

/* memory.c: one address space */
struct memory;
struct memory *memory_open(pid_t pid);
uid_t memory_user(const struct memory *m);
struct memory *memory_share(struct memory *m);
void memory_drop(struct memory *m);
int memory_read(const struct memory *m, uint64_t addr, void *buf, size_t len);
int memory_maps(const struct memory *m, struct code_maps *maps);
bool memory_has(const struct memory *m, uint64_t addr, const struct mapped_file *file);
enum { MEMORY_READABLE = 1, MEMORY_WRITABLE = 2 }; /* as the kernel's map_query has them */
int memory_check(struct memory *m, uint64_t addr, uint64_t len, unsigned access);
int memory_write(struct memory *m, uint64_t addr, const void *data, size_t len, bool checked);

/* What was on a stack that may have to be walked later. */
enum { RAW_STACK = 16 << 10 }; /* most bytes */
struct raw_stack {
	struct unwind_regs regs;
	uint64_t time; /* as in struct stack */
	uint64_t at;   /* when it was sampled, ns */
	bool lost;     /* it leads to where no code was known to be mapped then */
	pid_t tid;
	size_t len;
	const uint8_t *data; /* from regs.sp on */
};

/* turn.c: work that takes long */
struct turn {
	atomic_bool slow;
	bool computes;   /* it is the one that does; it waits for nothing then */
	uint64_t credit; /* thread CPU time at which it is long, ns */
	uint64_t at;     /* thread CPU time when it last got its turn, ns */
};
void turn_fork(void);
void turn_begin(struct turn *t);
uint64_t turn_end(struct turn *t);
void turn_give_way(void);
void turn_leave(struct turn *t);
void turn_take(struct turn *t);

/* What a walk of a stack has found. */
struct walked {
	struct stack stack;
	uint64_t lost_at; /* what unwind_walk() has returned */
	bool changed;     /* it leads through a file that is not mapped there any more */
	/* What was on it, if it waits or is lost.  It is there until the next job. */
	size_t len;
	const uint8_t *data;
};

struct socket_facts {
	int type, domain;       /* SOCK_STREAM or another, AF_UNIX or another */
	bool apart;             /* what it received ends where it does, at others' data */
	uint64_t send, receive; /* time-outs, ns, 0: none */
};

/* memjob.c: work on target memory, by another thread */
enum { MEMJOB_BYTES = 4096 };
struct dialect_ticks {
	uint64_t call, ticks;
	bool full; /* the bin is full now */
};
struct memjob_piece {
	uint64_t addr;
	size_t len;
};
struct arcs_where {
	uint64_t buf_addr, buflen, arcs_off; /* as the target claims */
	uint64_t text;                       /* bytes of code in the file */
};
struct memjob;
typedef void memjob_work(struct memjob *e);
struct memjob {
	struct memory *memory;
	memjob_work *work; /* uses some of the following */
	void *arg;         /* what else it uses */
	uint64_t wait;     /* for a thread that only waits for a CPU, ns; 0: the job may be long */
	size_t pieces, out_len; /* to be written */
	struct memjob_piece to[BINS_FRESH];
	uint8_t out[2 * BINS_FRESH];
	uint64_t from; /* address to be read, or looked up */
	uint64_t len;  /* bytes there */
	unsigned access;
	pid_t pid; /* whose socket is asked for */
	int fd;
	struct socket_facts facts; /* of that */
	struct thread_wait call;   /* what a thread waits in */
	uint8_t in[MEMJOB_BYTES];
	struct dialect_ticks add; /* to the bin at `from`, which has `len` bytes */
	struct arcs_where where;  /* where to read arcs */
	struct arcs arcs;         /* the arcs that were read */
	struct space *space;      /* code for a stack to be walked, or NULL */
	struct unwind_regs regs;  /* where that begins */
	struct walked walked;     /* that stack */
	uint8_t raw[RAW_STACK];   /* what was on it, if the walk waits */
	struct code_maps maps;    /* the code that was found mapped */
	uint64_t cpu;             /* thread CPU time that it has taken, ns */
	int error;                /* what came of the job: 0, or errno */
	int write_error;          /* of what was to be written */
};
struct memjob *memjob_new(struct memory *memory, uint64_t start);
int memjob_run(struct memjob *e, struct memjob **late);
int memjob_take(struct memjob **late, struct memjob **e);
bool memjob_is_stuck(void);
void memjob_fork(void);
bool memjob_is_done(struct memjob *e);
void memjob_forget(struct memjob **late);
void memjob_patience(uint64_t ns);
int memjob_read(struct memjob *e, uint64_t addr, void *buf, size_t len);

#endif
