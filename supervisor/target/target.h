/*
 * A process that is watched: its threads, its memory, its program, and its profile.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_TARGET_H
#define PROFSUP_TARGET_H

#include "gmon/gmon.h"
#include "os/os.h"
#include "target/run.h"

#include <sys/uio.h>

/* How often a program that gives no cause for more is looked at, ns: at first, and later. */
#define CALM_NS (NSEC / 100)
#define REST_NS (NSEC / 10)

/* A file's place and owner, fixed by the first profil call; shared by the forks of a process. */
struct place {
	unsigned refs;
	int dirfd;
	bool may_hang; /* see mounts.c */
	bool tried;    /* see foresee.c */
	struct identity id;
	unsigned owner;          /* the number of that identity: see owners.c */
	char name[16];           /* the program's own name, safe in a file name */
	char path[WRITTEN_MOST]; /* of the program, as we see it; "": not known */
};

/* What libelf says of an executable. */
struct elf_info {
	struct image_id id;
	bool is_elf;
	bool dynamic;                 /* needs an interpreter */
	bool runtime;                 /* carries our note */
	bool caller;                  /* calls profil(2) itself */
	bool libc_profile;            /* has libc's own profiling instead of our runtime */
	bool foreign;                 /* for another machine */
	bool is_64;                   /* of 64 bits */
	unsigned machine;             /* EM_* */
	uint32_t version;             /* version of the contract, from the note */
	uint64_t state;               /* link-time address of struct profsup_state */
	uint64_t entry;               /* link-time entry point */
	uint64_t mailbox;             /* link-time address of struct profsup_mailbox, 0 = none */
	uint64_t text_size;           /* bytes of executable segments in the file */
	uint64_t text_low, text_high; /* link-time addresses of these segments */
};

/* A value and its address in a target. */
struct mem_16 {
	uint64_t addr;
	uint16_t value;
};

/* Most bins that wait to be written. */
enum { BINS_FRESH = 128 };

/* What the runtime says of itself in struct profsup_state, and where its arcs are. */
struct runtime {
	uint64_t low, high; /* the runtime's own code */
	uint64_t mcount_pc;
	uint64_t tls_mark;
	uint64_t arcs_off; /* offset of the arc area in the buffer */
};

/* state.c: whether the program counts, by its own state. */
struct mode {
	bool on;          /* as last read */
	uint64_t read_at; /* when it was read, and bins written, ns */
	uint32_t toggles; /* changes of the mode, as last read */
	uint8_t geometry; /* the state's count of new ranges, as last seen */
	unsigned serial;  /* sampler_perf: number of the drain it was read in */
};

/* sampler.c: when a process's arcs are read. */
struct arcs_due {
	uint64_t due;   /* when they are read next, ns */
	uint64_t cpu;   /* the process's CPU time at the last reading, ns */
	uint64_t began; /* when the last reading began, ns */
};

/* sampler_perf.c: the CPU time that samples must be covered by. */
struct cover {
	uint64_t began;      /* when the profile began, ns */
	uint64_t since;      /* older samples are another image's, ns */
	uint64_t cpu_before; /* the process's CPU time at `since`, ns */
	uint64_t cpu;        /* the process's CPU time as last read, ns */
	uint64_t seen;       /* samples that CPU time has covered */
	uint64_t lost;       /* samples of the run that had found no room at `since` */
};

/* bins.c: bins that are not yet in the target's memory. */
struct fresh {
	size_t n;
	struct mem_16 bin[BINS_FRESH];
};

/* A registered profile: what one process has used since it called profil, or was forked. */
struct profile {
	struct place *place;
	struct counts counts;
	time_t started;
	uint64_t buf_addr;
	uint64_t buflen;
	struct runtime runtime;
	struct mode mode;
	struct arcs_due reading;
	struct cover paid;
	struct perf_events *events; /* sampler_perf: shared with the forks, or NULL */
	uint64_t last_pc;           /* pc of the last sample */
	uint64_t last_ticks;        /* that it stands for */
	uint64_t threads_pc;        /* the same, of any thread but the first */
	uint64_t viewed;            /* ticks when --top last showed it */
	bool forked;                /* began by a fork, not with its image */
	bool attached;              /* a process that ran already, or a fork of one: see attach.c */
	bool off;                   /* a bin could not be written */
	bool fileless;              /* counts by older dialects only */
	bool bare;                  /* of a program without our runtime: see bare.c */
	struct dialect *dialect[DIALECTS]; /* by PROFSUP_CALL_* - 1; NULL: off */
	struct waiting *waiting;           /* samples whose stacks are still to be walked */
	size_t waiting_bytes[2];           /* as in waiting.c */
	unsigned walked;                   /* objects_serial() when that was last tried */
	uint64_t
	    lost_at; /* when the last of them was found in code of which we know no mapping, ns */
	struct fresh fresh;
};

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
	uint64_t addr; /* of struct profsup_mailbox, 0 = none */
	uint64_t cpu;  /* process CPU time when it was last looked at, ns */
	uint64_t rest; /* not to be looked at earlier, ns */
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
	uint64_t slices;    /* how often it had been given a CPU */
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
	uint64_t at, slices, cpu;
};

/* A thread. */
struct tracee {
	pid_t tid;
	struct proc *proc;   /* NULL: stopped before its creator told of it */
	struct tracee *next; /* in proc */
	struct birth birth;
	bool exiting;    /* its exit stop is past */
	bool listening;  /* group-stopped */
	bool keep_eintr; /* a stop signal broke its system call, as it would alone */
	bool counted;    /* sampler_perf: has events, or inherited them */
	struct sample_stop stop;
	struct hold hold;
	struct {
		bool due;      /* between entry and exit of an intercepted profil */
		int64_t value; /* its result, or -errno */
	} answer;
	struct continuation *continuation; /* the call that is carried on, or NULL */
	struct thread_cpu cpu;
	struct nap nap;
	struct wall wall;
	uint64_t last_pc; /* where it last stopped, 0 = nowhere */
	struct pointers vm;
	UT_hash_handle hh;
};

/* A system call that a stop has cut short: see transfer.c. */
struct transfer_kind;
/* What a transfer needs its descriptor to be. */
enum transfer_needs {
	ANY_FILE, /* any file, if sizes are not limited: only a second call has SIGXFSZ */
	FLOW,     /* a socket, a pipe, a device: a regular file takes a part for other reasons */
	FLOW_OUT_OF_ORDER,   /* a device that is written at a position */
	NO_FILE,             /* the call has no descriptor */
	NO_PIPE,             /* not a pipe, which takes no more than it has room for, also alone */
	ENDLESS_FILE,        /* a device whose reads are as long as asked for */
	FULL_PIPE_TO_SOCKET, /* not an empty pipe, from which only the first part would wait */
	STREAM,              /* a stream socket: datagrams are always whole */
	OWN_RING,            /* of one thread: another might take what is waited for */
	TIME,                /* what the call waits for has an end by the clock */
};
struct transfer {
	const struct transfer_kind *kind;
	enum transfer_needs needs;
	struct made_call made;
	uint64_t total, done; /* bytes */
	int64_t result;       /* result for the program */
	bool to_socket;
	const struct timed_call *timed; /* of a wait; NULL: of any other */
	uint64_t timeout;               /* the call's or the socket's time-out, ns; 0: none */
	char link[64];                  /* beginning of what the descriptor is open on */
	struct iovec *piece;            /* pieces of a vector or message */
	size_t n;
};

/* A call that is carried on: see continuation.c. */
struct continuation {
	struct transfer transfer;
	struct transfer message; /* one message of several, which is not done */
	bool in_message;
	struct made_call next;
	bool entered;
	bool refused;   /* the thread's filter was in the way */
	uint64_t until; /* when its time-out is over, ns; 0: none */
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

/* profile.c */
struct profile *profile_new(void);
struct profile *profile_fork(const struct profile *from);
void profile_free(struct profile *p);
bool profile_is_bare_and_empty(const struct profile *p);
struct place *place_share(struct place *place);
void place_drop(struct place *place);

/* maps.c: code that is mapped in a process */
enum { MAPS_PATH = 512 };
#define MAPS_VDSO "[vdso]"
struct code_map {
	uint64_t low, high; /* its addresses there */
	uint64_t offset;    /* where it begins in the file */
	dev_t dev;
	ino_t ino;
	const char *path;            /* of the file; "": there is none */
	struct file_version version; /* all 0: not known */
};
struct code_maps {
	struct code_map *map; /* in order */
	size_t n;
	char **path; /* those of the mappings, but for neighbours of the same file */
	size_t npaths;
	uint64_t cpu; /* CPU time that it took to read them, ns */
};
void maps_add(struct code_maps *maps, const char *line);
void maps_free(struct code_maps *maps);

/* unwind.c: call stacks.  Addresses in rows are link-time addresses. */
enum frame_rule {
	FRAME_UNKNOWN,  /* no code, or code of which nothing is known */
	FRAME_BY_SP,    /* the CFA, the caller's sp, is sp + cfa */
	FRAME_BY_FP,    /* it is fp + cfa */
	FRAME_BY_SAVED, /* it is stored at fp + cfa */
	FRAME_BY_BASE,  /* it is base + cfa */
	FRAME_SIGNAL,   /* returns to what a signal has interrupted */
	FRAME_LAST,     /* has no caller */
	/* A function without information.  `cfa`, unsigned: where it begins. */
	FRAME_SCAN,      /* its return address is to be looked for */
	FRAME_OUTERMOST, /* nor has it one if it has called another */
	FRAME_SAME,      /* while rows are made: as the row before */
};
enum { FRAME_CALLS_ANY = 1 };
struct frame_row {
	uint64_t low; /* the code from here to the next row */
	int32_t cfa;
	int16_t fp;      /* the caller's frame pointer is at CFA + fp; 0: unchanged */
	int16_t ra;      /* the return address is at CFA + ra; 0: in the link register */
	int16_t base;    /* as fp, of the register arch_frames.base */
	uint8_t rule;    /* enum frame_rule */
	uint32_t callee; /* 0, or behind a call: the function without information that it calls,
	                  * or FRAME_CALLS_ANY */
};
struct frame_rows {
	const struct frame_row *row; /* sorted by `low` */
	size_t n;
};
struct unwind_regs {
	uint64_t pc, sp, fp, link, base;
	bool blind; /* fp, link and base are not known */
};
/* Code that is mapped in a process. */
struct unwind_code {
	uint64_t low, high; /* its addresses there */
	uint64_t bias;      /* load address less link-time address */
	uint32_t object;
	bool awaited;                  /* its rows are still to come */
	uint64_t main_low, main_bytes; /* main(), if that is here */
	struct frame_rows rows;
};
struct unwind {
	const struct unwind_code *code; /* sorted, and no two overlap */
	size_t ncode;
	struct unwind_regs regs;
};
typedef bool unwind_read(void *arg, uint64_t addr, uint64_t *word);
/* What was on a stack from `sp` on. */
struct stack_copy {
	uint64_t sp;
	const uint8_t *data;
	size_t len;
};
bool unwind_read_copy(void *arg, uint64_t addr, uint64_t *word);
const struct unwind_code *unwind_code_at(const struct unwind_code *code, size_t n, uint64_t pc);
uint64_t unwind_walk(const struct unwind *u, unwind_read *read, void *arg, struct stack *stack);

const struct frame_row *unwind_row_at(const struct frame_rows *rows, uint64_t pc);

/* space.c: the code of an address space */
struct mapped_file {
	dev_t dev;
	uint64_t ino;    /* 0: it is of no file */
	uint64_t offset; /* in it */
};
struct space {
	unsigned refs;     /* only the main thread touches them */
	uint64_t read_at;  /* when the mappings were read, ns */
	uint64_t again_at; /* when the mappings may be read again, ns */
	unsigned serial;   /* objects_serial() when it was made */
	bool awaits;       /* something of it is still to come */
	bool made;         /* the process has made some of it */
	size_t n;
	struct mapped_file *file; /* that each is of */
	struct unwind_code code[];
};
struct space *space_new(size_t n);
struct space *space_none(void);
struct space *space_share(struct space *s);
void space_drop(struct space *s);

/* memory.c: one address space */
struct memory;
struct memory *memory_open(pid_t pid);
struct memory *memory_share(struct memory *m);
void memory_drop(struct memory *m);
int memory_read(const struct memory *m, uint64_t addr, void *buf, size_t len);
int memory_maps(const struct memory *m, struct code_maps *maps);
bool memory_has(const struct memory *m, uint64_t addr, const struct mapped_file *file);
bool memory_can_tell(void);
enum { MEMORY_READABLE = 1, MEMORY_WRITABLE = 2 }; /* as the kernel's map_query has them */
int memory_check(struct memory *m, uint64_t addr, uint64_t len, unsigned access);
int memory_write(struct memory *m, uint64_t addr, const void *data, size_t len, bool checked);

/* What was on a stack that is to be walked later. */
enum { RAW_STACK = 16 << 10 };
struct raw_stack {
	struct unwind_regs regs;
	uint64_t time; /* as in struct stack */
	uint64_t at;   /* when it was sampled, ns */
	bool lost;     /* it leads to where no code was known to be mapped then */
	pid_t tid;
	size_t len; /* bytes from regs.sp on */
	uint8_t data[RAW_STACK];
};

/* cfiread.c: the rows of a program */
struct Elf;
struct frame_row *cfiread(struct Elf *elf, size_t *n);

/* coderead.c: rows for code without call frame information */
struct frame_row *coderead(struct Elf *elf, const struct frame_rows *known, uint64_t until,
                           size_t *n);

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
	uint64_t area;
	unsigned access;
	size_t len;
	uint8_t in[MEMJOB_BYTES];
	struct dialect_ticks add; /* to the bin at `from`, which has `len` bytes */
	struct arcs_where where;  /* where to read arcs */
	struct arcs arcs;         /* the arcs that were read */
	struct space *space;      /* code for a stack to be walked, or NULL */
	struct unwind_regs regs;  /* where that begins */
	struct stack stack;       /* that stack */
	uint64_t lost_at;         /* what unwind_walk() has returned of it */
	bool changed;             /* a file on it is not mapped there any more */
	struct raw_stack raw;     /* what was on the stack, if the walk waits */
	struct code_maps maps;    /* the code that was found mapped */
	/* What came of the job: 0, or errno. */
	int write_error, read_error;
};
struct memjob *memjob_new(struct memory *memory);
int memjob_run(struct memjob *e);
bool memjob_is_done(struct memjob *e);
uint64_t memjob_cpu(struct memjob *e);
void memjob_forget(struct memjob *e);
void memjob_patience(uint64_t ns);
int memjob_read(struct memjob *e, uint64_t addr, void *buf, size_t len);
void memjob_give_way(void);

/* mem.c: bounded copies, from and to target memory, in bounded time */
int mem_open(struct proc *proc, pid_t tid);
void mem_close(struct proc *proc);
int mem_read(struct proc *proc, uint64_t addr, void *buf, size_t len);
int mem_write(struct proc *proc, uint64_t addr, const void *data, size_t len);
int mem_count(struct proc *proc, const struct dialect *d, uint64_t bin, uint64_t ticks, bool *full);
int mem_write_16_and_read(struct proc *proc, const struct mem_16 *what, size_t n, int *write_error,
                          uint64_t addr, void *buf, size_t len);
struct socket_facts {
	int type;               /* SOCK_STREAM or another */
	uint64_t send, receive; /* time-outs, ns, 0: none */
};
struct walked {
	struct stack stack;
	uint64_t lost_at; /* what unwind_walk() has returned */
	bool changed;     /* it leads through a file that is not mapped there any more */
	const struct raw_stack
	    *raw; /* if the stack waits or is lost: what was on it, until the next job */
};
int mem_stack(struct proc *proc, struct space *space, const struct unwind_regs *regs,
              struct walked *walked);
int mem_maps(struct proc *proc, struct code_maps *maps);
int mem_socket(struct proc *proc, int fd, struct socket_facts *facts);
int mem_check(struct proc *proc, uint64_t addr, uint64_t len, unsigned access);

/* state.c */
uint64_t state_calm_ns(const struct profsup *ps, uint64_t began, uint64_t now);
bool state_is_still_on(const struct profsup *ps, const struct proc *proc, uint64_t now);
bool state_is_on(struct proc *proc);
uint8_t state_flags(const struct profsup *ps);
int state_tell(struct proc *proc, uint8_t flags);
void state_follow(const struct profsup *ps, struct profile *p);
void state_update(const struct profsup *ps, struct proc *proc);

/* bins.c */
int bins_set_range(struct profile *p, uint64_t samplesize, uint64_t offset, uint32_t scale);
void bins_put(struct proc *proc, uint64_t index, uint16_t value);
void bins_flush(struct proc *proc);
void bins_tick(const struct profsup *ps, struct proc *proc, uint64_t now);
int bins_flush_and_read(struct proc *proc, uint64_t addr, void *buf, size_t len);

/* arctable.c */
int arctable_read(struct proc *proc);
int arctable_read_to(struct proc *proc, struct arcs *to);
void arctable_restart(struct proc *proc);
void arctable_give_room(struct arcs *a);

/* dialect_count.c: counts of the older dialects */
struct dialect *dialect_new(uint64_t call, size_t ranges);
bool dialect_is_on(const struct profile *p);
bool dialect_counts(const struct proc *proc);
void dialect_credit(struct profsup *ps, struct proc *proc, uint64_t pc, uint64_t ticks);
void dialect_fork(struct profile *p);
void dialect_close(struct profile *p);

/* exe.c */
int exe_read(struct proc *proc, bool with_symbols);
void exe_forget(struct proc *proc);
int exe_place(const struct proc *proc);
int exe_open(int place);
const char *exe_powerless(pid_t pid);

/* elfnote.c */
int elfnote_read(int fd, struct elf_info *info);

/* elfsyms.c */
bool elfsyms_libc_profile(int fd);

/* symread.c: a table of a program's functions: its head, spans, functions, rows and names */
enum { SYMTAB_BYTES = 48 << 20 }; /* at the most */
/* Where a table is written: a file in memory, or, if there is none, memory that is shared. */
struct symtab_place {
	int file; /* or -1 */
	uint8_t *memory;
	size_t used; /* of that memory, bytes */
};
/* Code in the file, and where it is to be loaded. */
enum { SYMTAB_SEGMENTS = 8 };
struct symtab_segment {
	uint64_t offset, bytes, addr;
};
struct symtab_head {
	uint32_t spans, functions;
	uint64_t rows;
	uint64_t main_low, main_bytes;
	uint64_t names; /* bytes */
	struct symtab_segment segment[SYMTAB_SEGMENTS];
	uint32_t exported; /* names are only those of functions that it exports, if of any */
	uint32_t build_id_len;
	uint8_t build_id[BUILD_ID_MOST];
};
struct symtab_span {
	uint64_t low, high;
	uint32_t function, unused;
};
struct symtab_entry {
	uint32_t name; /* where the name begins */
	uint32_t runtime;
};
enum { SYMREAD_NAMES = 1, SYMREAD_ROWS = 2 };
int symread(int exe, int debug, struct symtab_place *out, unsigned what);
int symread_map(int map, struct symtab_place *out);

/* symtab.c: which function has an address.  A NULL table has one function, which is not known. */
struct symtab;
struct symtab_function {
	const char *name; /* printable */
	bool runtime;     /* its time is the profiler's own */
};
int symtab_place(struct symtab_place *p);
void symtab_leave(struct symtab_place *p);
struct symtab *symtab_take(struct symtab_place *p, size_t most);
size_t symtab_bytes(const struct symtab *t);
void symtab_unwind(const struct symtab *t, struct unwind_code *code);
uint64_t symtab_address(const struct symtab *t, uint64_t offset);
void symtab_code(const struct symtab *t, uint64_t *low, uint64_t *high, uint64_t *offset);
size_t symtab_build_id(const struct symtab *t, const uint8_t **id);
size_t symtab_count(const struct symtab *t);
bool symtab_is_stripped(const struct symtab *t);
bool symtab_is_exported(const struct symtab *t);
struct symtab_function symtab_function(const struct symtab *t, uint32_t function);
uint32_t symtab_at(const struct symtab *t, uint64_t pc, uint64_t *end);

/* owners.c: for whom files are read */
enum { OWNER_CALLER, OWNER_NOBODY, OWNERS };
unsigned owners_note(const struct identity *id);
unsigned owners_note_process(const struct profsup *ps, const struct proc *proc);
int owners_open(unsigned owner, int place);

/* objfile.c: the file of an object */
struct objfile {
	int place; /* O_PATH descriptor, or -1: it is mapped in a process, by these; OBJFILE_MADE:
	            * of the process's root */
	pid_t pid; /* OBJFILE_MADE: as the process sees it */
	uint64_t low, high;
	dev_t dev;
	ino_t ino;
	struct file_version version;
	char path[MAPS_PATH]; /* OBJFILE_MADE: of code that a process has made; `ino`: vm.number */
	uid_t uid;            /* for such code: the process's */
	uint64_t born;        /* for such code: when the process began, see procfs_born() */
	unsigned owner;       /* whose profile has what is read of it */
};
#define OBJFILE_MADE "[made at run time]"
int objfile_vdso(void);
void objfile_note_version(struct code_map *map, int root);
int objfile_open(const struct objfile *at, bool *readable);
int objfile_note_map(struct objfile *at, pid_t pid);
int objfile_map(const struct objfile *at);
int objfile_identify(int file, struct image_id *id);
int objfile_debug(const struct image_id *id, unsigned owner);

/* objects.c: the files that have the code of all processes of a run */
void objects_step(void);
unsigned objects_serial(void);
void objects_ask_program(const struct profsup *ps, struct proc *proc);
void objects_note_program(const struct profsup *ps, struct proc *proc);
/* Who has started a process, and whose its profile is. */
struct objects_for {
	uid_t user;
	unsigned owner;
};
uint32_t objects_note_mapped(const struct profsup *ps, struct objects_for whom,
                             const struct code_map *map);
uint32_t objects_note_made(const struct profsup *ps, const struct proc *proc,
                           struct objects_for whom);
void objects_ask_made(const struct proc *proc);
bool objects_is_made_awaited(const struct proc *proc);
void objects_ask_mapped(const struct proc *proc, uint32_t number, uint64_t low, uint64_t high);
bool objects_is_awaited(const struct proc *proc, uint32_t number);
const struct symtab *objects_table(const struct image_id *program, uint32_t number);
const char *objects_path(uint32_t number);
bool objects_wait(void);

/* mapped.c: the code that a process has mapped, with what is known of it */
struct space *mapped_space(const struct profsup *ps, struct proc *proc, bool untold);
bool mapped_renew(const struct profsup *ps, struct proc *proc);
bool mapped_renew_changed(const struct profsup *ps, struct proc *proc);
void mapped_fork(struct proc *proc, const struct proc *parent);
void mapped_forget(struct proc *proc);
uint64_t mapped_at(const struct proc *proc);
uint64_t mapped_cpu(void);
void mapped_ask(const struct profsup *ps, struct proc *proc, const struct stack *stack);
void mapped_ask_all(const struct profsup *ps, struct proc *proc);

/* waiting.c: samples whose call stacks can't be walked yet */
struct waiting;
bool waiting_keep(struct profile *p, const struct raw_stack *raw, uint64_t ticks);
void waiting_drop_empty(struct profile *p, pid_t tid);
bool waiting_add(struct profile *p, uint64_t pc, uint64_t ticks);
typedef void waiting_note(void *arg, uint64_t pc, const struct stack *stack);
bool waiting_walk(struct profile *p, const struct space *s, uint64_t read_at, bool last_chance,
                  waiting_note *note, void *arg);
void waiting_clear(struct profile *p);

/* select.c: which programs are profiled */
void select_name(pid_t pid, char name[16]);
bool select_matches(const struct options *opt, const char *name);

/* vmshare.c */
void vmshare_note_creator(struct tracee *creator, struct tracee *t);
bool vmshare_is_one(pid_t a, pid_t b);
bool vmshare_first_stop(struct tracee *t);
int vmshare_doubt(struct proc *proc);
void vmshare_stopped(const struct profsup *ps, struct tracee *t, bool gone);
void vmshare_no_doubts(struct proc *proc);

#endif
