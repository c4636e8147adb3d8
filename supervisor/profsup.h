/*
 * The supervisor's private header.  Prototypes stand under the name of the file they are in.
 *
 * Conventions: leaves return -1 with errno and print nothing; a function that prints says so.  An
 * address in a target is a uint64_t named ..._addr, never a pointer.  -1 is "no descriptor".
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_H
#define PROFSUP_H

#include "profsup_abi.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

/* Without memory an entry is not added, and its hh.tbl is NULL. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define NSEC 1000000000ULL
/* How often a program that gives no cause for more is looked at, ns: at first, and in the end. */
#define CALM_NS (NSEC / 100)
#define REST_NS (NSEC / 10)

/* Our own failures; everything else is the target's exit status. */
enum { EXIT_OURS = 125, EXIT_CANNOT_EXEC = 126, EXIT_NOT_FOUND = 127 };

/* With whose rights files are touched, or a program is run. */
struct identity {
	bool overrides; /* held CAP_DAC_OVERRIDE */
	uid_t uid;
	gid_t gid;
	size_t ngroups;
	gid_t *groups;
};

/* options.c */
enum sampler_choice { SAMPLER_PTRACE, SAMPLER_PERF, SAMPLER_AUTO };
struct options {
	unsigned hz;                 /* -F: samples per second of CPU time */
	const char *dir;             /* -d, or NULL */
	const char *template;        /* -o: what files are called */
	char **argv;                 /* the program and its arguments */
	pid_t pid;                   /* -p: a process that runs already, or 0 */
	bool since_start;            /* --since-start */
	enum sampler_choice sampler; /* --sampler */
	const char *stats;           /* --stats, or NULL */
	const char *user;            /* -u, or NULL */
	struct identity run_as;      /* what that means */
	char **env;                  /* -E, in order */
	size_t nenv;
	bool hz_chosen;    /* -F was given */
	bool no_follow;    /* --no-follow */
	bool sum;          /* --sum */
	bool report;       /* --report */
	bool top;          /* -T */
	bool kill_on_exit; /* --kill-on-exit */
	char **only;       /* --only: names' patterns */
	size_t nonly;
	long delay_ms;     /* -D; -1: for good */
	uint64_t duration; /* --duration, ns; 0: until the end */
	uint64_t every;    /* --every, ns; 0: no snapshots by the clock */
	char *control;     /* --control's fifo for commands, or NULL */
	char *ack;         /* and that for answers, or NULL */
	bool quiet;        /* -q */
	bool verbose;      /* -v */
};
void options_parse(struct options *opt, int argc, char **argv);

/* log.c */
void log_init(const struct options *opt);
void log_never_wait(void);
void log_verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_asked(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool log_put(const char *text, size_t len);
void log_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_progress_end(void);
const char *log_safe(const char *name, char *buf, size_t size);

/* hist.c: pure */
struct hist_bin {
	uint64_t index;
	uint64_t ticks;
	uint64_t seen; /* of those, before the last look at them */
	UT_hash_handle hh;
};
struct hist {
	struct hist_bin *bins; /* only those that were hit */
	uint64_t nbins;        /* how many there could be */
	uint64_t offset;       /* lowest address sampled */
	uint32_t scale;
	uint64_t ticks; /* in all bins together */
};
bool hist_index(const struct hist *h, uint64_t pc, uint64_t *index);
uint64_t hist_span(const struct hist *h, uint64_t bins);
uint64_t hist_add(struct hist *h, uint64_t index, uint64_t ticks);
void hist_clear(struct hist *h);

/* arcs.c */
struct arc_count {
	uint64_t key; /* from << 32 | self, low halves of the addresses */
	uint64_t count;
};
struct arcs {
	struct arc_count *arc; /* sorted by key, no key twice */
	size_t n, room;
	uint64_t dropped; /* calls that the runtime, or we, had no room for */
};
bool arcs_hold(size_t before, size_t bytes, size_t sure);
bool arcs_are_many(void);
uint64_t arcs_add(uint64_t a, uint64_t b);
void arcs_clear(struct arcs *a);
void arcs_merge(struct arcs *a);
int arcs_copy(struct arcs *to, const struct arcs *from);
int arcs_append(struct arcs *to, const struct arcs *more);
void arcs_subtract(struct arcs *a, const struct arcs *less);

/* arcset.c */
struct arcset {
	struct arc_count *place; /* key 0: free */
	size_t n;
	unsigned log2; /* of the number of places */
	bool full;     /* it must not grow */
	uint64_t dropped;
};
int arcset_add(struct arcset *s, uint64_t key, uint64_t count);
void arcset_take(struct arcset *s, struct arcs *to);
void arcset_clear(struct arcset *s);

/* A file's place and owner, fixed by the first profil call; shared by the forks of a process. */
struct place {
	unsigned refs;
	int dirfd;
	bool may_hang; /* see mounts.c */
	struct identity id;
	char name[16]; /* the program's own name, safe in a file name */
};

/* template.c: pure */
enum { HOST_MOST = 64 };
struct template_values {
	const char *program;
	const char *host;
	pid_t pid, parent;
	time_t started;
	unsigned snapshot; /* its number; 0: it is none */
};
const char *template_wrong(const char *t);
bool template_has(const char *t, char field);
void template_expand(const char *t, const struct template_values *v, unsigned number, char *out,
                     size_t size);

/* names.c */
bool names_pid_again(pid_t pid);
bool names_is_given(int dir, const char *name);
void names_give(int dir, const char *name);
unsigned names_next(int dir, const char *name);

/* Which executable it is: by its build id, or else by its file. */
enum { BUILD_ID_MOST = 32 };
struct image_id {
	uint8_t build_id[BUILD_ID_MOST];
	size_t build_id_len; /* 0: it has none, or a longer one */
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec mtime;
};

/* What libelf says of an executable. */
struct elf_info {
	struct image_id id;
	bool is_elf;
	bool dynamic;       /* needs an interpreter */
	bool runtime;       /* carries our note */
	bool caller;        /* calls profil(2) itself */
	bool libc_profile;  /* has libc's own profiling instead of our runtime */
	bool foreign;       /* for another machine */
	uint32_t version;   /* of the contract, from the note */
	uint64_t state;     /* link-time address of struct profsup_state */
	uint64_t entry;     /* link-time entry point */
	uint64_t mailbox;   /* link-time address of struct profsup_mailbox, 0 = none */
	uint64_t text_size; /* of its executable segments, bytes in the file */
};

/* event.c: classify() is pure */
enum event_kind {
	EVT_EXITED,     /* gone: nothing to resume */
	EVT_SIGNAL,     /* signal-delivery-stop: resume with the signal */
	EVT_GROUP_STOP, /* resume by listening */
	EVT_TRAP,       /* our interrupt, a first stop, or the end of a group-stop: resume */
	EVT_SYSCALL,    /* entry or exit: resume */
	EVT_FORK,       /* fork, vfork or clone; message = the new one: resume */
	EVT_VFORK,      /* the same, and the creator waits until the new one is gone or execs */
	EVT_VFORK_DONE, /* resume */
	EVT_EXEC,       /* message = former thread id: resume */
	EVT_EXIT,       /* about to go, memory still there: resume */
	EVT_UNKNOWN,    /* resume */
};
struct event {
	pid_t tid;
	enum event_kind kind;
	int signal;
	int status;
};
struct event event_classify(pid_t tid, int status);

/* A value and its address in a target. */
struct mem_16 {
	uint64_t addr;
	uint16_t value;
};

/* So many bins wait to be written at the most. */
enum { BINS_FRESH = 128 };

/* What an older dialect's call has turned on. */
struct dial_range {
	uint64_t buf, size;   /* in the target, bytes */
	uint64_t offset, end; /* addresses that may have a bin */
	uint64_t scale;
};
enum { DIALS = 5 };
struct dial {
	uint64_t call;  /* PROFSUP_CALL_* */
	unsigned width; /* of a bin, bytes */
	unsigned hz;    /* 0: the sampler's */
	uint64_t owed;  /* of a tick of that rate, in parts of the sampler's rate */
	uint64_t taken; /* program counters */
	size_t n;
	struct dial_range range[];
};

/* A registered profile: what one process has used since it called profil, or was forked. */
struct profile {
	struct place *place;
	time_t started;
	uint64_t buf_addr;
	uint64_t buflen;
	uint64_t samplesize;
	uint8_t geometry;  /* the state's count of its changes, as last seen */
	uint64_t arcs_off; /* of the arc area in the buffer */
	uint64_t bias;     /* load address less link-time address */
	uint64_t low_pc, high_pc;
	uint64_t runtime_low, runtime_high; /* the runtime's own code */
	uint64_t mcount_pc;
	uint64_t tls_mark; /* see struct profsup_state */
	struct hist hist;
	struct arcs arcs; /* as last read */
	struct arcs
	    minus; /* of those, what is not to be counted: from before an attach or a "zero" */
	uint64_t arcs_ns;           /* when to read them again */
	uint64_t arcs_cpu;          /* the process's CPU time when that was last done, */
	uint64_t arcs_began;        /* and when, ns */
	uint64_t outside;           /* ticks whose pc had no bin */
	uint64_t last_pc;           /* of the last sample */
	struct perf_events *events; /* sampler_perf: shared with the forks, or NULL */
	uint64_t began;             /* to be counted, ns */
	uint64_t since;             /* samples before are another image's, ns */
	uint64_t cpu_before;        /* the process's CPU time then */
	uint64_t cpu;               /* and as last read */
	uint64_t seen;              /* samples that it has paid for */
	uint64_t viewed;            /* ticks when --top last showed it */
	unsigned serial;            /* of the drain that the state was read in */
	bool on;                    /* by the state, as last read */
	uint32_t toggles;           /* changes of the mode, as last read */
	bool forked;                /* not from the start of its image */
	bool attached;              /* a process that ran already, or a fork of one: see attach.c */
	bool off;                   /* a bin could not be written */
	bool fileless;              /* counts by older dialects only */
	struct dial *dial[DIALS];   /* by PROFSUP_CALL_* - 1; NULL: off */
	uint64_t errand_at;         /* when these were last written and the state read, ns */
	size_t nfresh;              /* bins that are not yet in the target's memory */
	struct mem_16 fresh[BINS_FRESH];
};

/* Which of a process's system calls we look at. */
enum watch {
	WATCH_NONE,
	WATCH_STARTUP, /* until the runtime's first profil call */
	WATCH_CALLS,   /* for good: the program calls profil(2) itself */
};

/* A process; its threads are tracees. */
struct proc {
	pid_t pid;
	pid_t parent;     /* when it was made */
	unsigned threads; /* in the table */
	unsigned live;    /* of those, not yet in their exit stop */
	bool threaded;    /* it has, or may have had, more than one */
	enum watch watch;
	struct aside *exe;      /* reads its program's file, or NULL */
	bool let_go;            /* detached at the next stop: it runs on unprofiled */
	bool shares_memory;     /* with the process that made it: CLONE_VM or vfork */
	bool finished;          /* its file is written, or there is none to write */
	bool ending;            /* its arcs were read at the exit stop of one of its threads, */
	bool ending_slowly;     /* which took long */
	bool image_read;        /* its program was, since the last exec */
	bool untold;            /* its image is to be told how things stand */
	bool snapshot_due;      /* the one that is being taken is to have it, */
	bool snapshot_read;     /* and its arcs have been read for it */
	struct memory *memory;  /* NULL: out of reach, */
	int memory_error;       /* and why */
	struct errand *gone;    /* a copy that was late, or NULL */
	struct errand *reading; /* its arcs are being read, or NULL */
	bool refreshing;        /* for no other purpose than to have them */
	bool read_finally;      /* its arcs were, for the last time */
	unsigned doubts;        /* threads whose pointers are not known: see vmshare.c */
	struct elf_info elf;
	uint64_t state_addr;   /* of struct profsup_state, 0 = none */
	uint64_t mailbox_addr; /* of struct profsup_mailbox, 0 = none */
	uint64_t mailbox_cpu;  /* process CPU time when it was last looked at, ns */
	uint64_t mailbox_rest; /* not to be looked at earlier, ns */
	uint64_t cpu;          /* process CPU time at the last tick, ns */
	bool was_running;      /* some thread ran at the last tick */
	uint64_t look_at;      /* when to look at it again, ns */
	uint64_t idle_ns;      /* how long it has been left alone */
	struct profile *profile;
	struct tracee *first; /* its threads */
	UT_hash_handle hh;
};

/* What the scheduler has of a thread. */
struct thread_time {
	uint64_t cpu;    /* user and system, ns */
	uint64_t waited; /* for a CPU, up to when it last got one, ns */
};

/* owed.c: CPU time that no sample stands for yet */
struct owed {
	struct thread_time seen; /* what is owed, or booked, until then */
	uint64_t ran_lately;     /* of its CPU time, */
	uint64_t waited_lately;  /* and of its waits, the newer the more, ns */
	int64_t debt;            /* ns not yet booked as ticks; below 0: not yet to be */
};

/* A look at that. */
struct cpu_look {
	uint64_t at, cpu; /* ns */
};

/* A thread. */
struct tracee {
	pid_t tid;
	struct proc *proc;       /* NULL: stopped before its creator told of it */
	struct tracee *next;     /* in proc */
	uint64_t stranger_since; /* stopped without a process, ns */
	bool found_alone;        /* a process was found for it before its creator told of it */
	bool born;               /* its first stop is past */
	bool here;               /* it was interrupted by a round */
	bool interrupted;        /* PTRACE_INTERRUPT is on its way */
	uint64_t interrupted_at; /* its CPU was taken then, ns */
	uint64_t stop_ns;        /* how long its stop for a sample has lasted */
	uint64_t stop_seen;      /* up to here; 0: it has gone on */
	bool exiting;            /* its exit stop is past */
	bool listening;          /* group-stopped */
	bool held;               /* in a stop that is not done with: see dispatch_held() */
	enum event_kind held_at; /* that stop */
	uint64_t held_since;     /* ns */
	int fault;               /* the signal that it is let go with, once that may be */
	struct tracee *next_held;
	struct continuation *continuation; /* of a call that a stop cut short, or NULL */
	bool keep_eintr; /* a stop signal broke its system call, as it would alone */
	bool answering;  /* between entry and exit of an intercepted profil */
	int64_t answer;  /* its result, or -errno */
	struct owed owed;
	uint64_t last_pc;        /* where it last stopped, 0 = nowhere */
	uint64_t creator_tp;     /* thread pointer of the thread that made it */
	bool in_vfork;           /* waits for a child that has its memory */
	bool doubted;            /* see vmshare.c */
	uint64_t known_tp;       /* its thread pointer, if it was */
	bool counted;            /* sampler_perf: has events, or inherited them */
	bool ran;                /* or waited for a CPU at the last look */
	unsigned still;          /* looks since then at which it had used nothing */
	struct cpu_look look;    /* at the last tick */
	struct thread_time then; /* and all that was seen then, or at a stop since */
	int cpu_seen;            /* where it was then */
	int stat_fd;             /* /proc files, -1 = not open */
	int sched_fd, left_fd;
	UT_hash_handle hh;
};

struct stats {
	uint64_t profiled; /* processes */
	uint64_t execs;
	uint64_t samples;
	uint64_t ticks;
	uint64_t late;             /* ticks that a later sample stands for */
	uint64_t unfound;          /* ticks of processes that ended before a sample */
	uint64_t unseen;           /* ticks of gaps: of no place, and in no file */
	uint64_t watched;          /* time that was sampled, ns, */
	uint64_t gaps;             /* and of that, what a late tick left out */
	uint64_t lost;             /* samples that found no room in a ring */
	uint64_t throttled;        /* times that the kernel stopped sampling for a moment */
	uint64_t outside;          /* ticks whose pc had no bin */
	uint64_t unattributed;     /* samples of no process that is profiled */
	uint64_t stolen;           /* samples beyond their process's CPU time */
	uint64_t dropped;          /* calls that found no place in the arc tables */
	uint64_t dropped_profiles; /* of images that executed another program */
	uint64_t carried_on;       /* system calls that a stop had cut short, */
	uint64_t cut;              /* and those that stayed so */
	uint64_t stops;            /* for samples */
	uint64_t stopped;          /* ns, all together */
	uint64_t longest_stop;     /* ns */
};

/* written.c: the files of a run */
enum { WRITTEN_MOST = 256 };
struct written {
	uint64_t files;
	char dir[WRITTEN_MOST];  /* of the first; "": not known */
	char name[WRITTEN_MOST]; /* its own */
	bool elsewhere;          /* there are some in other directories */
};
void written_where(int dir, char where[WRITTEN_MOST]);
void written_add(struct written *w, const char *dir, const char *name);
void written_say(const struct written *w, char *text, size_t size);

/* A tick's look at the threads of one CPU. */
enum { MOST_RIVALS = 64 };
struct round {
	struct tracee *rival[MOST_RIVALS]; /* may have had our CPU, and */
	uint64_t left[MOST_RIVALS];        /* left it then, ns of its clock */
	size_t n;
	bool sure;                /* the only one has had it all along */
	bool untold;              /* the kernel does not tell who has left when */
	bool in_vain;             /* the tick came too late, */
	unsigned vain;            /* and so did as many before it, */
	uint64_t usual;           /* unlike fast ones, ns */
	bool few;                 /* not many threads ran at the last tick */
	unsigned alone;           /* ticks in a row at which one ran */
	bool crowded;             /* one that ran waits much for its CPU */
	size_t ran;               /* threads that may run */
	cpu_set_t cpus;           /* they do it here, or did lately */
	cpu_set_t lately, before; /* the CPUs of the last ticks, and of some before */
	unsigned serial;          /* of the tick */
	unsigned stride;          /* one in so many of the threads that slept is looked at, */
	unsigned run_stride;      /* and of those that ran */
	size_t waiting;           /* interrupted, not yet stopped */
	uint64_t looked_ns;       /* how long the look took */
	uint64_t give_up;         /* waiting for them, ns */
	int next;                 /* CPU to sample */
};

/* gate.c: when a run is profiled */
enum gate {
	GATE_OPEN,
	GATE_SHUT, /* not yet, or not now */
	GATE_OVER, /* no more */
};

/* One run; made in main, passed down. */
struct profsup {
	struct options opt;
	int outdir; /* -d, opened as the caller; -1: each target's own */
	bool outdir_may_hang;
	enum gate gate;
	uint64_t start_at; /* when it opens, ns; 0: not by the clock */
	uint64_t end_at;   /* when it is over, likewise */
	uint64_t every_at; /* when the next snapshot is due, likewise */
	int control, ack;  /* --control, opened as the caller, or -1 */
	int control_peer;  /* the other end of that: without it the end of file would come */
	uint64_t patience; /* -p: how long we wait for the last ones to be let go, ns */
	struct identity caller;
	pid_t front;
	int front_fd; /* a pidfd of it */
	pid_t target;
	uint64_t period;  /* ns of CPU time per tick */
	sigset_t signals; /* that we wait for */
	struct proc *procs;
	struct tracee *tracees;
	unsigned strangers; /* tracees without a process */
	struct tracee *held;
	int stats_fd; /* --stats, opened as the caller, or -1 */
	struct round round;
	uint64_t let_go_at; /* threads are being let go since then, ns; 0: not yet */
	const struct sampler *sampler;
	uint64_t interval; /* ns between ticks, */
	uint64_t longest;  /* and what it must not exceed */
	uint64_t heard_at; /* of a tracee, ns */
	struct stats stats;
	struct written written;
	char last_image[32]; /* what was exec'ed last, and why it is not profiled */
	const char *last_reason;
	bool last_told;          /* its runtime has said so itself */
	uint64_t tick_at, after; /* when the next tick is due, and the one after it, ns */
	bool crowded;       /* all CPUs are taken, or more threads run than there are of these: */
	unsigned cpus;      /* that threads run on: each has its ticks */
	bool ticking;       /* for a sample */
	uint64_t ticked_at; /* when the last tick came, ns */
	char host[HOST_MOST + 1]; /* our name, fit for a file's */
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
void tracee_hold(struct profsup *ps, struct tracee *t, enum event_kind at);
void tracee_release(struct profsup *ps, struct tracee *t);
struct proc *proc_find(const struct profsup *ps, pid_t pid);
struct proc *proc_add(struct profsup *ps, pid_t pid);

/* profile.c */
struct profile *profile_new(void);
struct profile *profile_fork(const struct profile *from);
void profile_free(struct profile *p);
struct place *place_share(struct place *place);
void place_drop(struct place *place);

/* launch.c */
void launch_prepare(int pair[2]);
pid_t launch_target(const struct options *opt, const int pair[2]);
pid_t launch_hear(int sync);
void launch_seize(const struct options *opt, pid_t target, int sync);
void launch_child_signals(void);

/* whynot.c: words for errors */
bool whynot_is_elf(const char *path);
const char *whynot_exec(const char *name, int error);
const char *whynot_trace(pid_t target);
const char *whynot_attach(pid_t pid);

/* runas.c */
int runas_parse(const char *spec, struct identity *id);
int runas_become(const struct identity *id);

/* inherit.c */
void inherit_save(const char *last_arg);
int inherit_restore(void);

/* front.c */
int front_run(pid_t target, pid_t supervisor);
int front_wait(pid_t supervisor);
void front_prepare(void);
void front_note_start(void);
void front_block_signals(void);
void front_restore_signals(void);

/* loop.c */
void loop_run(struct profsup *ps);

/* control.c: what the user wants of a run that is under way */
enum { CONTROL_SIGNAL = SIGIO }; /* taken after SIGCHLD */
void control_open(struct profsup *ps);
void control_ask_snapshot(pid_t supervisor);
void control_start(const struct profsup *ps);
uint64_t control_wait(struct profsup *ps);
bool control_has_news(struct profsup *ps);
bool control_step(struct profsup *ps);

/* snapshot.c */
void snapshot_begin(struct profsup *ps);
enum snapshot_end {
	SNAPSHOT_DONE,
	SNAPSHOT_MORE, /* files to write */
	SNAPSHOT_LATE, /* the others' calls are still being read */
};
enum snapshot_end snapshot_step(struct profsup *ps);

/* dispatch.c */
void dispatch(struct profsup *ps, const struct event *ev);
bool dispatch_orphans(struct profsup *ps);
void dispatch_held(struct profsup *ps);

/* let_go.c */
bool let_go_is_for_new(const struct profsup *ps);
void let_go(struct profsup *ps, struct tracee *t, int sig);
void let_go_all(struct profsup *ps);
bool let_go_is_last_call(const struct profsup *ps);
void let_go_last_calls(struct profsup *ps);

/* Of a stopped thread. */
struct arch_regs {
	uint64_t pc;
	uint64_t result;
	uint64_t thread_pointer;
	long syscall; /* number of the call it stopped in, -1 = none */
};

/* exits.c */
enum resume { /* how to go on from a stop */
	      RESUME,
	      RESUME_LISTEN,
	      LEAVE, /* it has gone on already */
	      HOLD,  /* what it asks for is not done yet */
};
bool exits_by_itself(const struct arch_regs *regs);
bool exits_now(struct profsup *ps, struct tracee *t);
enum resume exits_stop(struct profsup *ps, struct tracee *t, const struct arch_regs *regs);
enum resume exits_go_on(struct profsup *ps, struct tracee *t);

/* attach.c */
int attach(struct profsup *ps);
bool attach_child(const struct profsup *ps, struct tracee *t);
void attach_end(struct profsup *ps);
bool attach_is_over(struct profsup *ps);

/* ptrace.c: the only caller of ptrace(2) */
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
int trace_regs(pid_t tid, struct arch_regs *regs);
int trace_call(pid_t tid, struct trace_call *call);
int trace_set_number(pid_t tid, long nr);
int trace_suspend_filter(pid_t tid, bool suspend);
bool trace_can_suspend_filter(pid_t tid);

/* One that a thread has made, or is to make. */
struct made_call {
	uint64_t pc; /* behind it */
	long nr;
	uint64_t args[6];
	int64_t result;
};
int trace_made(pid_t tid, struct made_call *made);
bool trace_filters_allow(pid_t tid, const struct made_call *made);
int trace_make_call(pid_t tid, const struct made_call *call);
int trace_change_call(pid_t tid, const struct made_call *call);
int trace_end_call(pid_t tid, const struct made_call *call, int64_t result);
int trace_set_result(pid_t tid, int64_t result);

/* transfer.c: system calls that a stop cuts short */
struct transfer_kind;
/* What it asks of its descriptor. */
enum transfer_needs {
	ANY_FILE, /* regular ones: at a limit of their size only a second call has SIGXFSZ */
	FLOW,     /* a socket, a pipe, a device: only of a regular file is a part no stop's doing */
	FLOW_OUT_OF_ORDER,   /* a device that is written at a position */
	NO_FILE,             /* there is none */
	NO_PIPE,             /* a pipe takes no more than it has room for, also alone */
	ENDLESS_FILE,        /* whose reads are as long as asked for */
	FULL_PIPE_TO_SOCKET, /* from an empty pipe only the first part would wait */
	STREAM,              /* a socket of datagrams has only whole ones */
	OWN_RING,            /* one thread's: another may take what is waited for */
};
struct transfer {
	const struct transfer_kind *kind;
	enum transfer_needs needs;
	struct made_call made;
	uint64_t total, done; /* bytes */
	int64_t result;       /* for the program */
	bool to_socket;
	uint64_t timeout;    /* of the socket, ns, 0: none */
	char link[64];       /* what the descriptor is open on, the beginning of it */
	struct iovec *piece; /* of a vector or message */
	size_t n;
};
bool transfer_of(struct transfer *tr, const struct made_call *made);
bool transfer_vector(const struct transfer *tr, uint64_t *addr, uint64_t *n);
bool transfer_message(const struct transfer *tr, uint64_t *addr);
bool transfer_has_messages(const struct transfer *tr, long *nr);
void transfer_count(struct transfer *tr);
bool transfer_is_whole(const struct transfer *tr);
bool transfer_is_surely_cut(const struct transfer *tr);
void transfer_rest(const struct transfer *tr, struct made_call *next);
bool transfer_went(struct transfer *tr, int64_t result);

/* filter.c: would a thread's own filter let a call through? */
struct sock_filter;
struct seccomp_data;
bool filter_allows(const struct sock_filter *program, size_t n, const struct seccomp_data *data);

/* transfer_facts.c */
bool transfer_fits(const struct tracee *t, struct transfer *tr);
bool transfer_complete(const struct tracee *t, struct transfer *tr);
bool transfer_is_where_it_was(const struct tracee *t, const struct transfer *tr);
bool transfer_last_message(const struct tracee *t, const struct transfer *tr,
                           struct transfer *message);
void transfer_put_length(const struct tracee *t, const struct transfer *message);

/* continuation.c: and carries them on */
struct continuation {
	struct transfer transfer;
	struct transfer message; /* one of several, which is not done */
	bool in_message;
	struct made_call next;
	bool entered;
	bool refused;   /* and has done nothing */
	uint64_t until; /* the socket's time-out, by the clock, ns; 0: none */
};
void continuation_begin(struct profsup *ps, struct tracee *t, const struct arch_regs *regs);
bool continuation_syscall(struct profsup *ps, struct tracee *t, const struct trace_call *call);
void continuation_signal(struct profsup *ps, struct tracee *t, int sig);
void continuation_drop(struct tracee *t);

/* bins.c */
int bins_set_range(struct profile *p, uint64_t samplesize, uint64_t offset, uint32_t scale);
void bins_put(struct proc *proc, uint64_t index, uint16_t value);
void bins_flush(struct proc *proc);
void bins_tick(const struct profsup *ps, struct proc *proc, uint64_t now);
int bins_flush_and_read(struct proc *proc, uint64_t addr, void *buf, size_t len);

/* memory.c: one address space */
struct memory;
struct memory *memory_open(pid_t pid);
struct memory *memory_share(struct memory *m);
void memory_drop(struct memory *m);
int memory_read(const struct memory *m, uint64_t addr, void *buf, size_t len);
enum { MEMORY_READABLE = 1, MEMORY_WRITABLE = 2 }; /* as the kernel's map_query has them */
int memory_check(struct memory *m, uint64_t addr, uint64_t len, unsigned access);
int memory_write(struct memory *m, uint64_t addr, const void *data, size_t len, bool checked);

/* mem.c: bounded copies, from and to target memory, in bounded time */
int mem_open(struct proc *proc, pid_t tid);
void mem_close(struct proc *proc);
int mem_read(struct proc *proc, uint64_t addr, void *buf, size_t len);
int mem_write(struct proc *proc, uint64_t addr, const void *data, size_t len);
int mem_count(struct proc *proc, const struct dial *d, uint64_t bin, uint64_t ticks, bool *full);
int mem_write_16_and_read(struct proc *proc, const struct mem_16 *what, size_t n, int *write_error,
                          uint64_t addr, void *buf, size_t len);
struct socket_facts {
	int type;               /* SOCK_STREAM or another */
	uint64_t send, receive; /* time-outs, ns, 0: none */
};
int mem_socket(struct proc *proc, int fd, struct socket_facts *facts);
int mem_check(struct proc *proc, uint64_t addr, uint64_t len, unsigned access);

/* thread.c */
int thread_start(size_t stack, void *(*run)(void *), void *arg);

/* aside.c */
enum { ASIDE_MOST = 64, ASIDE_LEFT = 128, ASIDE_BYTES = 1024, ASIDE_KEPT = 2 };
struct aside;
struct aside *aside_begin(int (*work)(void *arg), const void *arg, size_t len, const int *keep,
                          size_t nkeep);
struct aside *aside_begin_ours(int (*work)(void *arg), const void *arg, size_t len, const int *keep,
                               size_t nkeep);
int aside_end(struct aside *a, void *arg, size_t len, int ms);
bool aside_has_room(void);
void aside_leave(struct aside *a);

/* fds.c */
int fds_copy_of(pid_t pid, int fd);
void fds_close_but(const int *keep, size_t n, unsigned from);

/* mounts.c */
struct file_id {
	dev_t dev;
	ino_t ino;
};
int mounts_identify(int fd, struct file_id *id);
bool mounts_may_hang(int fd);
bool mounts_is_ours(int fd);
bool mounts_is_set_user_id(int fd, uid_t *owner);

/* exe.c */
int exe_read(struct proc *proc, bool with_symbols, struct elf_info *elf);
void exe_forget(struct proc *proc);
int exe_place(const struct proc *proc);
int exe_open(int place);
bool exe_is_powerless(pid_t pid);

/* signal.c */
void signal_mend_eintr(struct tracee *t, const struct arch_regs *regs);
void signal_delivered(struct tracee *t, int sig);
bool signal_does_nothing(const struct tracee *t, int sig);
bool signal_needs_no_tracer(const struct tracee *t, int sig);

/* errand.c: work on target memory, by another thread */
enum { ERRAND_BYTES = 4096 };
struct dial_ticks {
	uint64_t call, ticks;
	bool full; /* the bin is, afterwards */
};
struct errand_piece {
	uint64_t addr;
	size_t len;
};
struct arcs_where {
	uint64_t buf_addr, buflen, arcs_off; /* as claimed */
	uint64_t text;                       /* bytes of code in the file */
};
struct errand;
typedef void errand_work(struct errand *e);
struct errand {
	struct memory *memory;
	errand_work *work;      /* which of the following it looks at, it says */
	bool brief;             /* it is no more than a copy */
	size_t pieces, out_len; /* to be written */
	struct errand_piece to[BINS_FRESH];
	uint8_t out[2 * BINS_FRESH];
	uint64_t from; /* to be read, or looked up */
	uint64_t area;
	unsigned access;
	size_t len;
	uint8_t in[ERRAND_BYTES];
	struct dial_ticks add;   /* to the bin at `from`, which has `len` bytes */
	struct arcs_where where; /* arcs to be read, */
	struct arcs arcs;        /* and read */
	/* And what came of it: 0, or errno. */
	int write_error, read_error;
};
struct errand *errand_new(struct memory *memory);
int errand_run(struct errand *e);
bool errand_is_back(struct errand *e);
void errand_forget(struct errand *e);
void errand_patience(uint64_t ns);
int errand_read(struct errand *e, uint64_t addr, void *buf, size_t len);
void errand_give_way(void);

/* procfs.c */
int procfs_open(pid_t pid, const char *what, int flags);
pid_t procfs_tgid(pid_t tid, pid_t *ppid);
pid_t procfs_tracer(pid_t tid);
bool procfs_runs_in(pid_t pid, pid_t *group, pid_t *foreground);
bool procfs_has_filter(pid_t tid);
bool procfs_is_strict(pid_t tid);
bool procfs_limits_files(pid_t tid);
int procfs_fd_link(pid_t tid, int fd, char *link, size_t size);
int procfs_fd_position(pid_t tid, int fd, uint64_t *position);
pid_t *procfs_threads(pid_t pid, size_t *n);
bool procfs_is_kernel(pid_t pid);
bool procfs_is_zombie(pid_t tid);
size_t procfs_children(pid_t pid, pid_t tid, pid_t *child, size_t most);
struct thread_stat {
	char state; /* 'R', 'S' and so on */
	int cpu;    /* it ran on last */
};
int procfs_thread_open(pid_t tgid, pid_t tid, const char *what);
int procfs_thread_stat(int fd, struct thread_stat *st);
int procfs_thread_time(int fd, struct thread_time *time);
void identity_free(struct identity *id);
int procfs_exec_start(int fd, uint64_t *ns);
int procfs_process_cpu(pid_t pid, uint64_t *ns);
int procfs_identity(pid_t tid, struct identity *id);
int procfs_comm(pid_t pid, char *comm, size_t size);
bool procfs_is_init(pid_t tid);
bool procfs_ignores(pid_t tid, int sig);
bool procfs_catches(pid_t tid, int sig);
char procfs_yama_scope(void);
unsigned procfs_perf_max_rate(void);
uint64_t procfs_account_lag(void);
int procfs_entry(pid_t pid, uint64_t *entry);

/* elfnote.c */
int elfnote_read(int fd, struct elf_info *info);

/* elfsyms.c */
bool elfsyms_libc_profile(int fd);

/* arctable.c */
int arctable_read(struct proc *proc);
int arctable_read_to(struct proc *proc, struct arcs *to);
void arctable_restart(struct proc *proc);
void arctable_give_room(struct arcs *a);

/* vmshare.c */
void vmshare_note_creator(struct tracee *creator, struct tracee *t);
bool vmshare_is_one(pid_t a, pid_t b);
bool vmshare_first_stop(struct tracee *t);
int vmshare_doubt(struct proc *proc);
void vmshare_stopped(const struct profsup *ps, struct tracee *t, bool gone);
void vmshare_no_doubts(struct proc *proc);

/* image.c: what exec means */
void image_exec(struct profsup *ps, struct proc *proc);
bool image_start(struct profsup *ps, struct proc *proc, enum chance chance);
const char *image_attach(const struct profsup *ps, struct proc *proc);

/* finish.c: the end of an image */
bool finish_image(struct profsup *ps, struct proc *proc, enum chance chance);
bool finish_read_arcs(struct proc *proc, enum chance chance);
void finish_snapshot(struct profsup *ps, struct proc *proc, unsigned number);
void finish_zero(struct proc *proc);

/* select.c: which programs are profiled */
void select_name(pid_t pid, char name[16]);
bool select_matches(const struct options *opt, const char *name);

void gate_init(struct profsup *ps);
void gate_first_profile(struct profsup *ps);
bool gate_child(const struct profsup *ps, const struct tracee *t);
void gate_update(struct profsup *ps);
bool gate_let_go(struct proc *proc);
uint64_t gate_wait(const struct profsup *ps);
bool gate_tick(struct profsup *ps);
void gate_enable(struct profsup *ps);
void gate_disable(struct profsup *ps);
void gate_stop(struct profsup *ps);
void gate_zero(struct profsup *ps);
void gate_finish_all(struct profsup *ps);

/* symread.c: a table of a program's functions: its head, spans, functions and names */
enum { SYMTAB_BYTES = 48 << 20 }; /* at the most */
struct symtab_head {
	uint32_t spans, functions;
	uint64_t names; /* bytes */
};
struct symtab_span {
	uint64_t low, high;
	uint32_t function, unused;
};
struct symtab_entry {
	uint32_t name; /* where it begins */
	uint32_t runtime;
};
int symread(int exe, int out);

/* symtab.c: whose code it is */
struct symtab;
struct symtab_function {
	const char *name; /* printable */
	bool runtime;     /* its time is the profiler's own */
};
void symtab_step(void);
void symtab_want(const struct proc *proc);
void symtab_wait(void);
const struct symtab *symtab_find(const struct image_id *id);
size_t symtab_count(const struct symtab *t);
struct symtab_function symtab_function(const struct symtab *t, uint32_t function);
uint32_t symtab_at(const struct symtab *t, uint64_t pc, uint64_t *end);

/* flat.c */
enum flat_order { FLAT_TICKS, FLAT_FRESH };
struct flat_row {
	const char *name;
	double ticks;
	double fresh; /* of those, since the last flat profile of it */
	uint64_t calls;
};
struct flat {
	const struct symtab *names; /* NULL: all is unknown */
	struct flat_row *row;
	size_t n;
	double ticks, fresh; /* of all rows */
	double runtime;      /* ticks that are in none: the profiler's own */
	uint64_t calls;
};
int flat_make(struct flat *f, const struct symtab *names, struct profile *p, enum flat_order order);
void flat_free(struct flat *f);
double flat_percent(double part, double whole);

/* report.c */
void report_add(const struct profsup *ps, const struct proc *proc);
void report_print(const struct profsup *ps);

/* screen.c */
struct screen_line {
	char text[512];
};
void screen_init(const struct options *opt);
bool screen_is_terminal(void);
unsigned screen_room(void);
const char *screen_name(const char *name, unsigned before, char *buf, size_t size);
void screen_draw(const struct screen_line *line, unsigned lines);
void screen_end(void);
void screen_rescue(void);

/* top.c */
void top_tick(struct profsup *ps);

/* progress.c */
void progress_file(const struct profsup *ps);
void progress_tick(void);

/* state.c */
uint64_t state_calm_ns(const struct profsup *ps, uint64_t began, uint64_t now);
bool state_is_still_on(const struct profsup *ps, const struct proc *proc, uint64_t now);
bool state_is_on(struct proc *proc);
uint8_t state_flags(const struct profsup *ps);
int state_tell(struct proc *proc, uint8_t flags);
void state_update(const struct profsup *ps, struct proc *proc);

/* dialect.c: pure */
uint64_t dialect_bin(const struct dial *d, uint64_t pc);
uint32_t dialect_count(uint64_t call, unsigned width, uint32_t count, uint64_t ticks, bool *full);
uint64_t dialect_ticks(struct dial *d, uint64_t ticks, unsigned hz);
struct dial_range dialect_aix_range(const struct profsup_aix_range *from);

/* mailbox.c: the calls of the older profil(2)s, */
bool mailbox_open(struct profsup *ps, struct proc *proc);
void mailbox_let_go(struct proc *proc);
void mailbox_look(struct profsup *ps, struct proc *proc);
void mailbox_tick(struct profsup *ps);

/* legacy_count.c: and their counts */
struct dial *legacy_dial(uint64_t call, size_t ranges);
bool legacy_is_on(const struct profile *p);
bool legacy_counts(const struct proc *proc);
void legacy_credit(struct profsup *ps, struct proc *proc, uint64_t pc, uint64_t ticks);
void legacy_fork(struct profile *p);
void legacy_close(struct profile *p);

/* profcall.c */
int profcall_place(struct profsup *ps, const struct tracee *t, int dirfd, struct place *place);
int64_t profcall(struct profsup *ps, struct tracee *t, const uint64_t args[6]);

/* sampler.c */
struct sampler {
	const char *name;
	int (*init)(struct profsup *ps);
	void (*start_thread)(struct profsup *ps, struct tracee *t, bool new_thread);
	void (*begin_tick)(struct profsup *ps);
	void (*tick_process)(struct profsup *ps, struct proc *proc, uint64_t now);
	void (*end_tick)(struct profsup *ps);
	void (*stopped)(struct profsup *ps, struct tracee *t, const struct arch_regs *regs);
	void (*forgive)(struct profsup *ps, struct proc *proc);
	void (*spared)(struct profsup *ps, struct tracee *t);
	void (*end_thread)(struct profsup *ps, struct tracee *t);
	void (*settle)(struct profsup *ps);
};
extern const struct sampler sampler_ptrace, sampler_perf;
void sampler_perf_prepare(struct profsup *ps);
void sampler_prepare(struct profsup *ps);
int sampler_init(struct profsup *ps);
void sampler_tick(struct profsup *ps);
void sampler_wake(struct profsup *ps);
void sampler_hurry(struct profsup *ps, uint64_t ns);
void sampler_soon(struct profsup *ps, uint64_t ns);
bool sampler_wants(const struct proc *proc);
void sampler_stopped(struct profsup *ps, struct tracee *t, const struct arch_regs *regs);
void sampler_start_thread(struct profsup *ps, struct tracee *t, bool new_thread);
void sampler_start_process(struct profsup *ps, struct proc *proc);
void sampler_spared(struct profsup *ps, struct tracee *t);
void sampler_end_thread(struct profsup *ps, struct tracee *t);
void sampler_settle(struct profsup *ps);

/* clock.c */
uint64_t clock_ns(clockid_t clock);
uint64_t clock_now(void); /* of CLOCK_MONOTONIC */

/* perfring.c */
struct perf_events {
	unsigned refs;
	struct perf_events *more; /* of threads that were there already */
	int n;
	int fd[];
};
struct perf_sample {
	pid_t pid, tid;
	uint64_t pc;
	uint64_t time; /* CLOCK_MONOTONIC, ns */
};
typedef void perf_sample_fn(struct profsup *ps, const struct perf_sample *sample);
int perfring_open(void);
int perfring_open_tree(uint64_t period);
void perfring_close(void);
unsigned perfring_busy(unsigned threads);
int perfring_fds(int *fd, int most);
int perfring_init(bool threads_only);
bool perfring_would_do(void);
int perf_events_open(struct perf_events **events, pid_t tid, uint64_t period);
void perf_events_drop(struct perf_events *ev);
void perfring_drain(struct profsup *ps, perf_sample_fn *take);

/* owed.c */
void owed_begin(struct owed *o, int64_t lead);
void owed_forgive(struct owed *o, const struct thread_time *time);
bool owed_add(struct owed *o, const struct thread_time *time);
uint64_t owed_take(struct owed *o, uint64_t period, uint64_t left);
bool owed_is_crowded(const struct owed *o);

/* account.c: CPU time into ticks */
int account_time(struct tracee *t, struct thread_time *time);
int account_left(struct tracee *t, uint64_t *left);
int account_stat(struct tracee *t, struct thread_stat *st);
void account_forgive(struct tracee *t);
void account_start(struct profsup *ps, struct tracee *t, bool new_thread);
uint64_t account_waive(const struct profsup *ps, struct tracee *t);
uint64_t account_collect(struct profsup *ps, struct tracee *t);
void account_credit(struct profsup *ps, struct proc *proc, uint64_t pc, uint64_t ticks);

void account_credit_unfound(struct profsup *ps, struct tracee *t, uint64_t last_pc, uint64_t ticks);

/* found.c: where the last samples of each program were */
void found_note(const struct proc *proc, uint64_t pc);
uint64_t found_any(const struct proc *proc);

/* holder.c: which thread had the CPU that we have */
size_t holder_find(const uint64_t *left, size_t n, uint64_t ours);
bool holder_all_along(const struct cpu_look *last, const struct cpu_look *now);
bool holder_is_to_stop(bool had, int cpu, int here, bool reach_out);

/* round.c: which threads a tick stops */
void round_begin(struct profsup *ps);
bool round_add(struct profsup *ps, const struct proc *proc);
void round_end(struct profsup *ps);
void round_step(struct profsup *ps);
bool round_is_under_way(const struct profsup *ps);
void round_stopped(struct profsup *ps);
void round_follow(struct profsup *ps, const struct tracee *t);

/* seat.c: the supervisor's own CPU and priority */
enum { PRIORITY_OURS = 1, PRIORITY_KEEPER }; /* real-time */

bool seat_init(void);
void seat_share(void);
void seat_leave(void);
bool seat_put(pid_t tid, int cpu);
void seat_bring(pid_t tid);
void seat_check(uint64_t now);
void seat_charge(uint64_t ns);
bool seat_is_urgent(void);
bool seat_move(int cpu);
int seat_cpu(void);
size_t seat_cpus(void);
void seat_sleeps(void);
bool seat_has_waited(void);
int seat_since(uint64_t *since);

/* ticker.c */
enum { TICK_SIGNAL = SIGPROF }; /* taken after SIGCHLD, before CONTROL_SIGNAL */

void ticker_init(void);
bool ticker_set(uint64_t now, uint64_t at, uint64_t after);

/* stay.c: nobody changes CPUs for being sampled */
void stay_init(void);
void stay_begin(bool lone);
void stay_end(void);

/* buffer.c */
struct buffer {
	uint8_t *data;
	size_t len, size;
	uint64_t *touched;
};
int buffer_new(struct buffer *b, size_t size);
void buffer_put(struct buffer *b, const void *data, size_t len);
void buffer_put_at(struct buffer *b, size_t at, const void *data, size_t len);
size_t buffer_next(const struct buffer *b, size_t *at);
void buffer_free(struct buffer *b);

/* gmon.c: pure */
uint64_t gmon_address(const struct profile *p, uint32_t low);
int gmon_encode(const struct profile *p, unsigned hz, struct buffer *out);

/* summary.c */
struct summary {
	struct stats stats;
	const struct written *written;
	const char *sampler;
	unsigned hz;
	uint64_t period;  /* ns */
	uint64_t own_cpu; /* ns */
};
void summary_seen(const struct summary *s, char *line, size_t size);
void summary_cost(const struct summary *s, char *line, size_t size);
int summary_json(const struct summary *s, char *text, size_t size);
struct summary summary_of(const struct profsup *ps);
void summary_print(const struct profsup *ps, const struct summary *s);

/* advise.c */
void advise(const struct profsup *ps, const struct summary *s);

/* counts.c: pure */
bool counts_fit(uint64_t buf_addr, uint64_t buflen, uint64_t samplesize);
bool counts_has_range(const struct profile *p, uint64_t samplesize, uint64_t offset,
                      uint32_t scale);
int counts_set_range(struct profile *p, uint64_t samplesize, uint64_t offset, uint32_t scale);

/* merge.c: pure */
bool image_same(const struct image_id *a, const struct image_id *b);
void merge_start(struct profile *sum, const struct profile *p);
bool merge_fits(const struct profile *sum, const struct profile *p);
int merge_add(struct profile *sum, const struct profile *p);

/* sums.c */
void sums_write(struct profsup *ps, const struct proc *proc);
void sums_collect(struct profsup *ps, const struct proc *proc);
void sums_snapshot(struct profsup *ps, unsigned number);
void sums_zero(void);

/* output.c */
struct output {
	const struct profile *what;
	const struct place *place;
	pid_t pid, parent; /* for its name, as is the time */
	time_t started;
	unsigned snapshot;  /* its number; 0: it is none */
	const char *called; /* the name that it has had before, or NULL: it is to get one */
	bool replaces;      /* a file of this run that has it */
	/* Not made: there is no file, why has been said, and `name` is what one that is tried again
	 * is to be called, or NULL. */
	void (*done)(struct profsup *ps, void *arg, const char *name, bool made);
	void *arg;
};
bool output_has_room(const struct profsup *ps, const struct output *o);
void output_write(struct profsup *ps, const struct output *o);
bool output_step(struct profsup *ps);
void output_wait(struct profsup *ps);

/* priv.c */
void priv_start(void);
bool priv_is_lent(void);
bool priv_was_lent_perfmon(void);
int priv_give_back(void);
int priv_drop(void);
void priv_give_back_in_thread(void);
int priv_keep_nice_in_thread(void);
int priv_init(void);
bool priv_may_be_others(void);
int priv_become(const struct identity *id);
void priv_return(void);
int priv_caller(struct identity *id);
int priv_realtime(int priority);
int priv_admin(int (*work)(pid_t tid, unsigned long arg), pid_t tid, unsigned long arg);
struct perf_event_attr;
int priv_perf_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu);
int priv_open_proc(const char *path, int flags);

#endif
