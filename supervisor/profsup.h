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
	size_t n;
	uint64_t dropped; /* calls the runtime had no room for */
};
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
	uint64_t desk;      /* link-time address of struct profsup_desk, 0 = none */
	uint64_t text_size; /* of its executable segments, bytes in the file */
};

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
	struct arcs arcs;  /* as last read */
	struct arcs minus; /* of those, somebody else's: see vmshare.c */
	uint64_t vfork_tp; /* a vfork child: only the tables of this thread pointer; else 0 */
	uint64_t arcs_ns;  /* when to read them again */
	uint64_t arcs_cpu; /* the process's CPU time then */
	uint64_t outside;  /* ticks whose pc had no bin */
	uint64_t last_pc;  /* of the last sample */
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

/* The tables of a thread as they were when it waited for its vfork's child, which uses them now;
 * for good if it has died of that. */
struct frozen {
	uint64_t tp;
	struct arcs arcs;
	struct frozen *next;
};

/* A process; its threads are tracees. */
struct proc {
	pid_t pid;
	pid_t parent;     /* when it was made */
	unsigned threads; /* in the table */
	unsigned live;    /* of those, not yet in their exit stop */
	bool threaded;    /* it has, or may have had, more than one */
	enum watch watch;
	bool let_go;        /* detached at the next stop: it runs on unprofiled */
	bool shares_memory; /* with the process that made it: CLONE_VM or vfork */
	bool finished;      /* its file is written, or there is none to write */
	bool ending;        /* its arcs were read at the exit stop of one of its threads */
	bool snapshot_due;  /* the one that is being taken is to have it */
	unsigned late;      /* so often its memory did not answer in time */
	unsigned long gone; /* the errand that still waits for it, or 0 */
	unsigned doubts;    /* threads whose pointers are not known: see vmshare.c */
	struct elf_info elf;
	uint64_t state_addr; /* of struct profsup_state, 0 = none */
	uint64_t desk_addr;  /* of struct profsup_desk, 0 = none */
	uint64_t desk_cpu;   /* process CPU time when it was last looked at, ns */
	uint64_t desk_rest;  /* not to be looked at earlier, ns */
	uint64_t cpu;        /* process CPU time at the last tick, ns */
	bool was_running;    /* some thread ran at the last tick */
	uint64_t look_at;    /* when to look at it again, ns */
	uint64_t idle_ns;    /* how long it has been left alone */
	struct profile *profile;
	struct frozen *frozen; /* see there */
	struct tracee *first;  /* its threads */
	UT_hash_handle hh;
};

/* How often a thread left its CPU. */
struct switches {
	uint64_t own;    /* to wait */
	uint64_t forced; /* while it wanted to run on */
};

/* A thread. */
struct tracee {
	pid_t tid;
	struct proc *proc;        /* NULL: stopped before its creator told of it */
	struct tracee *next;      /* in proc */
	uint64_t stranger_since;  /* stopped without a process, ns */
	bool found_alone;         /* a process was found for it before its creator told of it */
	bool born;                /* its first stop is past */
	bool here;                /* it was interrupted by a round, on our CPU */
	bool interrupted;         /* PTRACE_INTERRUPT is on its way */
	uint64_t interrupted_at;  /* ns */
	uint64_t stop_ns;         /* how long its stop for a sample has lasted */
	uint64_t stop_seen;       /* up to here; 0: it has gone on */
	bool exiting;             /* its exit stop is past */
	bool listening;           /* group-stopped */
	bool keep_eintr;          /* a stop signal broke its system call, as it would alone */
	bool answering;           /* between entry and exit of an intercepted profil */
	int64_t answer;           /* its result, or -errno */
	uint64_t cpu;             /* ns, already turned into debt */
	uint64_t waited;          /* for a CPU until then, ns */
	uint64_t ran_lately;      /* of its CPU time, */
	uint64_t waited_lately;   /* and of its waits, the newer the more, ns */
	uint64_t debt;            /* ns of CPU time not yet credited as ticks */
	uint64_t creator_tp;      /* thread pointer of the thread that made it */
	bool in_vfork;            /* waits for a child that has its memory */
	pid_t vforked_by;         /* 0: it is no vfork's child */
	struct frozen *frozen;    /* its tables, while it waits for the child of its vfork */
	bool doubted;             /* see vmshare.c */
	uint64_t known_tp;        /* its thread pointer, if it was */
	bool counted;             /* sampler_perf: has events, or inherited them */
	bool waits;               /* was found in a call that waits for a timer */
	struct switches switches; /* when last asked for, */
	unsigned stops;           /* and its stops since then */
	uint64_t foreign;         /* of those, not by us: average between two stops, in 1/256 */
	bool ran;                 /* at the last look */
	unsigned running;         /* looks in a row that found it so */
	int cpu_seen;             /* where it was then */
	uint64_t lag;             /* of its account behind the clock while it has a CPU, ns */
	uint64_t lag_at;          /* when that was found */
	uint64_t turns;           /* on a CPU until it last stopped */
	int stat_fd;              /* /proc files, -1 = not open */
	int sched_fd;
	UT_hash_handle hh;
};

struct stats {
	uint64_t profiled; /* processes */
	uint64_t files;    /* written */
	uint64_t execs;
	uint64_t samples;
	uint64_t ticks;
	uint64_t late;         /* ticks that a later sample stands for */
	uint64_t lost;         /* samples that found no room in a ring */
	uint64_t throttled;    /* times that the kernel stopped sampling for a moment */
	uint64_t outside;      /* ticks whose pc had no bin */
	uint64_t unattributed; /* samples of no process that is profiled */
	uint64_t stolen;       /* samples beyond their process's CPU time */
	uint64_t dropped;      /* calls that found no place in the arc tables */
	uint64_t stops;        /* for samples */
	uint64_t stopped;      /* ns, all together */
	uint64_t longest_stop; /* ns */
};

/* A thread that a tick wants to stop. */
enum due_how {
	MAY_HAVE_CPU,
	HAS_CPU,  /* when the tick began */
	IN_CROWD, /* whether it has or not */
};
struct due {
	pid_t tid;
	int cpu;
	enum due_how how;
};

/* What is left to do of a tick: one CPU's threads after the other's. */
struct round {
	struct due *due;
	size_t n, size;
	unsigned serial;  /* of the tick */
	unsigned stride;  /* one in so many of the threads that slept is looked at */
	size_t waiting;   /* interrupted on this CPU, not yet stopped */
	uint64_t give_up; /* waiting for them, ns */
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
	pid_t target;
	uint64_t period;  /* ns of CPU time per tick */
	sigset_t signals; /* that we wait for */
	struct proc *procs;
	struct tracee *tracees;
	unsigned strangers; /* tracees without a process */
	int stats_fd;       /* --stats, opened as the caller, or -1 */
	struct round round;
	const struct sampler *sampler;
	uint64_t interval; /* ns between ticks, */
	uint64_t longest;  /* and what it must not exceed */
	uint64_t heard_at; /* of a tracee, ns */
	struct stats stats;
	char last_image[32]; /* what was exec'ed last, and why it is not profiled */
	const char *last_reason;
	bool last_told;           /* its runtime has said so itself */
	bool realtime;            /* our own priority */
	uint64_t tick_at, after;  /* when the next tick is due, and the one after it, ns */
	bool ticking;             /* for a sample */
	char host[HOST_MOST + 1]; /* our name, fit for a file's */
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

/* tracee.c */
struct tracee *tracee_live(const struct proc *proc);
bool tracee_is_lone(const struct profsup *ps);
struct tracee *tracee_find(const struct profsup *ps, pid_t tid);
struct tracee *tracee_add(struct profsup *ps, pid_t tid, struct proc *proc);
void tracee_adopt(struct tracee *t, struct proc *proc);
void tracee_drop(struct profsup *ps, struct tracee *t);
struct proc *proc_find(const struct profsup *ps, pid_t pid);
struct proc *proc_add(struct profsup *ps, pid_t pid);

/* profile.c */
struct profile *profile_new(void);
struct profile *profile_fork(const struct profile *from);
void profile_free(struct profile *p);
bool profile_sizes_fit(uint64_t buf_addr, uint64_t buflen, uint64_t samplesize);
int profile_set_geometry(struct profile *p, uint64_t samplesize, uint64_t offset, uint32_t scale);
void identity_free(struct identity *id);

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
bool snapshot_step(struct profsup *ps);

/* dispatch.c */
void dispatch(struct profsup *ps, const struct event *ev);
bool dispatch_orphans(struct profsup *ps);
void dispatch_let_go(struct profsup *ps);

/* attach.c */
int attach(struct profsup *ps);
void attach_child(const struct profsup *ps, struct tracee *t);
void attach_end(struct profsup *ps);
bool attach_is_over(struct profsup *ps);

/* ptrace.c: the only caller of ptrace(2) */
struct arch_regs {
	uint64_t pc;
	uint64_t result;
	uint64_t thread_pointer;
	long syscall; /* number of the call it stopped in, -1 = none */
};
struct trace_call {
	bool entry;
	uint64_t nr;
	uint64_t args[6];
	int64_t result;
};
int trace_seize(pid_t tid, bool kill_on_exit);
bool trace_has(pid_t tid);
int trace_interrupt(pid_t tid);
int trace_resume(pid_t tid, bool watch, int signal);
int trace_listen(pid_t tid);
int trace_detach(pid_t tid, int signal);
int trace_message(pid_t tid, unsigned long *message);
int trace_regs(pid_t tid, struct arch_regs *regs);
int trace_call(pid_t tid, struct trace_call *call);
int trace_set_number(pid_t tid, long nr);
int trace_set_result(pid_t tid, int64_t result);

/* bins.c */
void bins_put(struct proc *proc, pid_t tid, uint64_t index, uint16_t value);
void bins_flush(struct proc *proc, pid_t tid);
void bins_tick(const struct profsup *ps, struct proc *proc, pid_t tid, uint64_t now);
int bins_flush_and_read(struct proc *proc, pid_t tid, uint64_t addr, void *buf, size_t len);

/* mem.c: bounded copies, from and to target memory, in bounded time */
int mem_read(struct proc *proc, pid_t tid, uint64_t addr, void *buf, size_t len);
int mem_write(struct proc *proc, pid_t tid, uint64_t addr, const void *data, size_t len);
int mem_write_16_and_read(struct proc *proc, pid_t tid, const struct mem_16 *what, size_t n,
                          int *write_error, uint64_t addr, void *buf, size_t len);

/* thread.c */
int thread_start(size_t stack, void *(*run)(void *), void *arg);

/* aside.c */
enum { ASIDE_LEFT = 32, ASIDE_BYTES = 1024 };
int aside(int (*work)(void *arg), void *arg, size_t len, int keep);

/* mounts.c */
struct file_id {
	dev_t dev;
	ino_t ino;
};
int mounts_identify(int fd, struct file_id *id);
bool mounts_may_hang(int fd, pid_t pid);

/* exe.c */
int exe_read(pid_t pid, bool with_symbols, struct elf_info *elf);
int exe_open(pid_t pid);

/* signal.c */
void signal_mend_eintr(struct tracee *t, const struct arch_regs *regs);
void signal_delivered(struct tracee *t, int sig);

/* errand.c */
enum { ERRAND_BYTES = 64 << 10 };
struct errand {
	pid_t tid; /* has the memory */
	/* First written: */
	size_t pieces, out_len;
	struct iovec to[BINS_FRESH];
	uint8_t out[2 * BINS_FRESH];
	/* then read, if its length is not 0: */
	struct iovec from;
	uint8_t in[ERRAND_BYTES];
	/* And what came of it. */
	ssize_t written, read;
	int write_error, read_error;
};
struct errand *errand_new(void);
bool errand_is_back(unsigned long number);
unsigned long errand_run(void);

/* procfs.c */
int procfs_open(pid_t pid, const char *what, int flags);
pid_t procfs_tgid(pid_t tid, pid_t *ppid);
pid_t procfs_tracer(pid_t tid);
bool procfs_runs_in(pid_t pid, pid_t *group, pid_t *foreground);
bool procfs_has_filter(pid_t tid);
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
struct thread_time {
	uint64_t cpu;    /* user and system, ns */
	uint64_t waited; /* for a CPU, up to when it last got one, ns */
	uint64_t turns;  /* how often it got one */
};
int procfs_thread_time(int fd, struct thread_time *time);
int procfs_switches(pid_t tgid, pid_t tid, struct switches *sw);
int procfs_process_cpu(pid_t pid, uint64_t *ns);
int procfs_identity(pid_t tid, struct identity *id);
int procfs_comm(pid_t pid, char *comm, size_t size);
bool procfs_is_writable(pid_t tid, uint64_t addr, uint64_t len);
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
int arctable_read(struct proc *proc, pid_t tid);
int arctable_read_thread(struct proc *proc, pid_t tid, uint64_t tp, struct arcs *arcs);

/* vmshare.c */
void vmshare_note_creator(struct tracee *creator, struct tracee *t);
bool vmshare_is_one(pid_t a, pid_t b);
void vmshare_first_stop(struct profsup *ps, struct tracee *t);
void vmshare_vfork_done(struct tracee *creator);
int vmshare_doubt(struct proc *proc, pid_t tid);
void vmshare_stopped(const struct profsup *ps, struct tracee *t, bool gone);
void vmshare_no_doubts(struct proc *proc);
void vmshare_forget(struct proc *proc);

/* image.c: what exec and the end of an image mean */
void image_exec(struct profsup *ps, struct proc *proc);
const char *image_attach(const struct profsup *ps, struct proc *proc);
void image_finish(struct profsup *ps, struct proc *proc, pid_t tid);
void image_snapshot(struct profsup *ps, struct proc *proc, pid_t tid, unsigned number);
void image_zero(struct proc *proc, pid_t tid);

/* select.c: which programs are profiled */
void select_name(pid_t pid, char name[16]);
bool select_matches(const struct options *opt, const char *name);

void gate_init(struct profsup *ps);
uint8_t gate_flags(const struct profsup *ps);
void gate_first_profile(struct profsup *ps);
void gate_child(const struct profsup *ps, const struct tracee *t);
void gate_tell(const struct profsup *ps, struct proc *proc, pid_t tid);
void gate_let_go(struct proc *proc, pid_t tid);
uint64_t gate_wait(const struct profsup *ps);
bool gate_tick(struct profsup *ps);
void gate_enable(struct profsup *ps);
void gate_disable(struct profsup *ps);
void gate_stop(struct profsup *ps);
void gate_zero(struct profsup *ps);
void gate_finish_all(struct profsup *ps);

/* symtab.c: whose code it is */
struct symtab;
struct symtab_function {
	const char *name; /* printable */
	bool runtime;     /* its time is the profiler's own */
};
void symtab_init(void);
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
bool state_is_on(struct proc *proc, pid_t tid);

/* dialect.c: pure */
uint64_t dialect_bin(const struct dial *d, uint64_t pc);
uint32_t dialect_count(const struct dial *d, uint32_t count, uint64_t ticks, bool *full);
uint64_t dialect_ticks(struct dial *d, uint64_t ticks, unsigned hz);
struct dial_range dialect_aix_range(const struct profsup_aix_range *from);

/* desk.c */
void desk_open(struct profsup *ps, struct proc *proc);
void desk_let_go(struct proc *proc, pid_t tid);
void desk_look(struct profsup *ps, struct proc *proc, pid_t tid);
void desk_credit(struct profsup *ps, struct proc *proc, pid_t tid, uint64_t pc, uint64_t ticks);
bool desk_counts(const struct proc *proc);
void desk_fork(struct profile *p);
void desk_close(struct profile *p);

/* profcall.c */
int profcall_place(struct profsup *ps, const struct tracee *t, int dirfd, struct place *place);
int64_t profcall(struct profsup *ps, struct tracee *t, const uint64_t args[6]);

struct summary;

/* sampler.c */
struct sampler {
	const char *name;
	int (*init)(struct profsup *ps);
	void (*start_thread)(struct profsup *ps, struct tracee *t, bool new_thread);
	void (*begin_tick)(struct profsup *ps);
	void (*tick_process)(struct profsup *ps, struct proc *proc, pid_t tid, uint64_t now);
	void (*end_tick)(struct profsup *ps);
	void (*stopped)(struct profsup *ps, struct tracee *t, const struct arch_regs *regs);
	void (*other_stop)(struct tracee *t);
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
void sampler_advise(const struct profsup *ps, const struct summary *s);
bool sampler_wants(const struct proc *proc);
void sampler_stopped(struct profsup *ps, struct tracee *t, const struct arch_regs *regs);
void sampler_start_thread(struct profsup *ps, struct tracee *t, bool new_thread);
void sampler_start_process(struct profsup *ps, struct proc *proc);
void sampler_other_stop(const struct profsup *ps, struct tracee *t);
void sampler_end_thread(struct profsup *ps, struct tracee *t);
void sampler_settle(struct profsup *ps);
uint64_t sampler_now(void);

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

/* account.c: CPU time into ticks */
int account_time(struct tracee *t, struct thread_time *time);
int account_peek(struct tracee *t, struct thread_time *time);
int account_stat(struct tracee *t, struct thread_stat *st);
void account_forgive(struct tracee *t);
bool account_is_due(const struct profsup *ps, struct tracee *t);
bool account_is_crowded(const struct tracee *t);
void account_owe(struct tracee *t, const struct thread_time *time);
void account_start(struct profsup *ps, struct tracee *t, bool new_thread);
uint64_t account_collect(struct profsup *ps, struct tracee *t);
void account_credit(struct profsup *ps, struct proc *proc, pid_t tid, uint64_t pc, uint64_t ticks);

/* awake.c */
void awake_note_lag(struct tracee *t, const struct thread_time *time);
void awake_other_stop(struct tracee *t);
bool awake_is_here(struct tracee *t, uint64_t now);
bool awake_has_cpu(const struct profsup *ps, struct tracee *t, uint64_t now);
bool awake_before_tick(struct tracee *t, const struct arch_regs *regs);

/* round.c: which threads a tick stops */
void round_begin(struct profsup *ps);
bool round_add(struct profsup *ps, const struct proc *proc);
void round_sort(struct profsup *ps);
bool round_step(struct profsup *ps);
bool round_is_under_way(const struct profsup *ps);
void round_stopped(struct profsup *ps);

/* seat.c: the supervisor's own CPU and priority */
enum { PRIORITY_OURS = 1, PRIORITY_RUNNERS }; /* real-time */

bool seat_init(void);
void seat_share(void);
bool seat_put(pid_t tid, int cpu);
void seat_bring(pid_t tid);
void seat_check(uint64_t now);
bool seat_move(int cpu);
int seat_cpu(void);

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
	const char *sampler;
	unsigned hz;
	uint64_t period;  /* ns */
	uint64_t own_cpu; /* ns */
};
void summary_seen(const struct summary *s, char *line, size_t size);
void summary_cost(const struct summary *s, char *line, size_t size);
int summary_json(const struct summary *s, char *text, size_t size);
void summary_print(const struct profsup *ps);

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
int output_write(struct profsup *ps, const struct proc *proc, const struct buffer *data,
                 unsigned snapshot, char *path, size_t size);

/* priv.c */
void priv_start(void);
bool priv_is_lent(void);
bool priv_was_lent_perfmon(void);
int priv_give_back(void);
void priv_give_back_in_thread(void);
int priv_keep_nice_in_thread(void);
int priv_init(void);
int priv_become(const struct identity *id);
void priv_return(void);
int priv_caller(struct identity *id);
int priv_realtime(int priority);
struct perf_event_attr;
int priv_perf_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu);
int priv_open_proc(const char *path, int flags);

#endif
