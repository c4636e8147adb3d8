/*
 * A process that is watched: its threads, its program, its profile, and the way to its memory.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_PROCESS_H
#define PROFSUP_PROCESS_H

#include "process/objects.h"
#include "process/run.h"
#include "process/tracee.h"

/* Which of a process's system calls we look at. */
enum watch {
	WATCH_NONE,
	WATCH_STARTUP, /* until the runtime's first profil call */
	WATCH_CALLS,   /* for good: the program calls profil(2) itself */
};

/* What is known of its program, since the last exec. */
struct proc_image {
	struct elf_info elf;
	uint64_t state_addr;   /* of struct profsup_state, 0 = none */
	struct helper *reader; /* helper that reads its file, or NULL */
	bool read;             /* the file has been read */
	bool untold;           /* the runtime is to be told how things stand */
	bool asked; /* objects.c: for a table of its functions, with or without success */
};

/* mapped.c: our CPU time that was used for its mappings. */
struct spent {
	uint64_t ns;     /* what has not been forgotten of it by `period` */
	uint64_t period; /* a number */
	uint64_t last;   /* for the image's last reading, 0: none, ns */
};

/* mem.c: the way to its memory. */
struct vm {
	struct memory *memory;  /* NULL: out of reach */
	int error;              /* errno why memory is out of reach */
	uint64_t number;        /* of this address space, and of no other of the run's */
	struct memjob *late;    /* a copy that was late, or NULL */
	struct memjob *reading; /* the job that reads its arcs, or NULL */
	bool refreshing;        /* `reading` only refreshes our copy */
	struct memjob *mapping; /* the job that reads its mappings, or NULL */
	struct space *space;    /* the code that is mapped; NULL: not known yet */
	uint64_t maps_at;       /* when its mappings were last asked for, ns */
	bool no_maps;           /* they can't be read */
	struct spent spent;
};

/* bare.c: who has started the program with power of its file's that it, or what it comes from, has
 * executed. */
struct elevated {
	bool is;
	uid_t user;
	gid_t group;
};

/* finish.c: the end of its image. */
struct image_end {
	bool begun;          /* its arcs were read at a thread's exit stop, or before a dump */
	bool slow;           /* reading its arcs took long */
	bool arcs_read;      /* its arcs were read for the last time */
	bool arcs_lost;      /* they could not be, which was told */
	bool done;           /* its file is written, or late, or there is none to write */
	bool late;           /* its file is still to be written: see late.c */
	unsigned file;       /* its file's number: see output.c; 0: none is awaited */
	uint64_t rows_until; /* how long to wait for its call stacks, ns; 0: not begun */
};

/* mailbox.c */
struct mailbox {
	uint64_t addr;   /* of struct profsup_mailbox, 0 = none */
	uint64_t cpu;    /* process CPU time when it was last looked at, ns */
	uint64_t rest;   /* not to be looked at earlier, ns */
	uint32_t served; /* number of the last call that was served */
	int64_t result;  /* and its answer */
};

/* sampler_ptrace.c: a process that uses no CPU time is left alone. */
struct idle {
	uint64_t cpu;     /* process CPU time at the last tick, ns */
	bool was_running; /* some thread ran at the last tick */
	uint64_t look_at; /* when to look at it again, ns */
	uint64_t ns;      /* how long it has been left alone */
};

/* A process; its threads are tracees. */
struct proc {
	pid_t pid;
	pid_t parent;         /* parent when it was made */
	struct tracee *first; /* its threads */
	unsigned threads;     /* threads in the table */
	unsigned live;        /* threads not yet in their exit stop */
	unsigned doubts;      /* threads whose pointers are not known: see vmshare.c */
	bool said_shared;     /* that its threads share a thread pointer: once is enough */
	uint64_t nap_at;      /* nap.c: when to look at its threads, ns */
	bool threaded;        /* has, or may have had, more than one thread */
	bool shares_memory;   /* shares the memory of its creator: CLONE_VM or vfork */
	bool detach;          /* to be detached at the next stop, and run on unprofiled */
	enum watch watch;
	struct elevated elevated;
	struct vm vm;
	struct proc_image image;
	struct profile *profile;
	struct owed_sum owed;
	struct idle idle;
	struct mailbox mailbox;
	struct {
		bool due;  /* to be in the snapshot under way */
		bool read; /* arcs have been read for the snapshot */
	} snapshot;
	struct image_end end;
	struct proc *next_late;
	UT_hash_handle hh;
};

/* mem.c: bounded copies, from and to target memory, in bounded time */
int mem_open(struct proc *proc, pid_t tid);
struct memjob *mem_job(struct proc *proc, memjob_work *work, uint64_t start);
void mem_close(struct proc *proc);
int mem_read(struct proc *proc, uint64_t addr, void *buf, size_t len);
int mem_write(struct proc *proc, uint64_t addr, const void *data, size_t len);
int mem_count(struct proc *proc, const struct dialect *d, uint64_t bin, uint64_t ticks, bool *full);
int mem_write_16_and_read(struct proc *proc, const struct mem_16 *what, size_t n, int *write_error,
                          uint64_t addr, void *buf, size_t len);
int mem_stack(struct proc *proc, struct space *space, const struct unwind_regs *regs,
              struct walked *walked);
int mem_maps(struct proc *proc, struct code_maps *maps);
int mem_socket(struct proc *proc, int fd, struct socket_facts *facts);
int mem_wait(struct proc *proc, int fd, struct thread_wait *wait);
int mem_check(struct proc *proc, uint64_t addr, uint64_t len, unsigned access);

/* exe.c */
int exe_read(struct proc *proc);
void exe_forget(struct proc *proc);
unsigned exe_owner(const struct profsup *ps, const struct proc *proc);
int exe_open(const struct proc *proc, const char *what);
int exe_place(const struct proc *proc);
const char *exe_powerless(pid_t pid);

/* mapped.c: the code that a process has mapped, with what is known of it */
struct space *mapped_space(const struct profsup *ps, struct proc *proc, bool untold);
bool mapped_renew(const struct profsup *ps, struct proc *proc, bool changed);
void mapped_fork(struct proc *proc, const struct proc *parent);
void mapped_forget(struct proc *proc);
uint64_t mapped_at(const struct proc *proc);
uint64_t mapped_cpu(void);
void mapped_ask(const struct profsup *ps, struct proc *proc, const struct stack *stack);

/* waiting.c: samples whose call stacks can't be walked yet */
struct waiting;
void waiting_keep(struct profile *p, const struct raw_stack *raw);
void waiting_drop_empty(struct profile *p, pid_t tid);
bool waiting_add(struct profile *p, pid_t tid, uint64_t pc, uint64_t ticks);
typedef void waiting_note(void *arg, uint64_t pc, const struct stack *stack);
bool waiting_walk(struct profile *p, const struct space *s, uint64_t read_at, bool last_chance,
                  waiting_note *note, void *arg);
uint64_t waiting_try(const struct space *s, const struct raw_stack *raw, struct stack *stack);
void waiting_clear(struct profile *p);

/* select.c: which programs are profiled */
void select_name(pid_t pid, char name[16]);
bool select_matches(const struct options *opt, pid_t pid);

/* vmshare.c */
void vmshare_note_creator(struct tracee *creator, struct tracee *t);
bool vmshare_is_one(pid_t a, pid_t b, bool otherwise);
bool vmshare_first_stop(struct tracee *t);
int vmshare_doubt(struct proc *proc);
void vmshare_stopped(struct tracee *t, bool gone);
void vmshare_no_doubts(struct proc *proc);

#endif
