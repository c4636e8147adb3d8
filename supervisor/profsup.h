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
#include <time.h>

/* Without memory an entry is not added, and its hh.tbl is NULL. */
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#define NSEC 1000000000ULL

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
	char **argv;                 /* the program and its arguments */
	enum sampler_choice sampler; /* --sampler */
	const char *stats;           /* --stats, or NULL */
	const char *user;            /* -u, or NULL */
	struct identity run_as;      /* what that means */
	char **env;                  /* -E, in order */
	size_t nenv;
	bool quiet;   /* -q */
	bool verbose; /* -v */
};
void options_parse(struct options *opt, int argc, char **argv);

/* log.c */
void log_init(const struct options *opt);
void log_never_wait(void);
void log_verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *log_safe(const char *name, char *buf, size_t size);

/* hist.c: pure */
struct hist_bin {
	uint64_t index;
	uint64_t ticks;
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
void arcs_clear(struct arcs *a);
void arcs_merge(struct arcs *a);
int arcs_copy(struct arcs *to, const struct arcs *from);
int arcs_append(struct arcs *to, const struct arcs *more);
void arcs_subtract(struct arcs *a, const struct arcs *less);

/* A file's place and owner, fixed by the first profil call; shared by the forks of a process. */
struct place {
	unsigned refs;
	int dirfd;
	struct identity id;
	char name[16]; /* the program's own name, safe in a file name */
};

/* What libelf says of an executable. */
struct elf_info {
	bool is_elf;
	bool dynamic;       /* needs an interpreter */
	bool runtime;       /* carries our note */
	bool caller;        /* calls profil(2) itself */
	bool foreign;       /* for another machine */
	uint32_t version;   /* of the contract, from the note */
	uint64_t state;     /* link-time address of struct profsup_state */
	uint64_t entry;     /* link-time entry point */
	uint64_t text_size; /* of its executable segments, bytes in the file */
};

/* A registered profile: what one process has used since it called profil, or was forked. */
struct profile {
	struct place *place;
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
	uint64_t arcs_ns;  /* when */
	uint64_t arcs_cpu; /* the process's CPU time then */
	uint64_t outside;  /* ticks whose pc had no bin */
	uint64_t last_pc;  /* of the last sample */
	struct perf_events *events; /* sampler_perf: shared with the forks, or NULL */
	uint64_t since;             /* samples before are another image's, ns */
	uint64_t cpu_before;        /* the process's CPU time then */
	uint64_t taken;             /* samples */
	unsigned serial;            /* of the drain that the state was read in */
	bool on;                    /* by the state, as last read */
	uint32_t toggles;           /* changes of the mode, as last read */
	bool off;                   /* a bin could not be written */
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
	unsigned threads; /* in the table */
	unsigned live;    /* of those, not yet in their exit stop */
	enum watch watch;
	bool shares_memory; /* with the process that made it: CLONE_VM or vfork */
	bool finished;      /* its file is written, or there is none to write */
	struct elf_info elf;
	uint64_t state_addr; /* of struct profsup_state, 0 = none */
	uint64_t cpu;        /* process CPU time at the last tick, ns */
	bool was_running;    /* some thread ran at the last tick */
	uint64_t look_at;    /* when to look at it again, ns */
	uint64_t idle_ns;    /* how long it has been left alone */
	struct profile *profile;
	struct tracee *first; /* its threads */
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
	unsigned waited;          /* ticks without a process */
	bool found_alone;         /* a process was found for it before its creator told of it */
	bool born;                /* its first stop is past */
	bool here;                /* when it was interrupted, the thread was on our CPU */
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
	uint64_t debt;            /* ns of CPU time not yet credited as ticks */
	uint64_t creator_tp;      /* thread pointer of the thread that made it */
	uint64_t vfork_tp;        /* its own, while it waits for the child of its vfork; else 0 */
	struct arcs vfork_base;   /* its tables when that began */
	bool waits;               /* was found in a call that waits for a timer */
	struct switches switches; /* at its last stop, if it waits */
	uint64_t foreign;         /* of those, not by us: average between two stops, in 1/256 */
	bool ran;                 /* at the last look */
	unsigned running;         /* looks in a row that found it so */
	uint64_t lag;             /* of its account behind the clock while it has a CPU, ns */
	uint64_t lag_at;          /* when that was found */
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
	uint64_t dropped;      /* calls that found no place in the arc tables */
	uint64_t stops;        /* for samples */
	uint64_t stopped;      /* ns, all together */
	uint64_t longest_stop; /* ns */
};

/* A thread that a tick wants to stop. */
struct due {
	pid_t tid;
	int cpu;
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

/* One run; made in main, passed down. */
struct profsup {
	struct options opt;
	int outdir; /* -d, opened as the caller; -1: each target's own */
	struct identity caller;
	pid_t front;
	pid_t target;
	uint64_t period;  /* ns of CPU time per tick */
	int stats_fd;     /* --stats, opened as the caller, or -1 */
	timer_t timer;    /* of the tick, armed once for each: in a virtual machine that is dear */
	sigset_t signals; /* that we wait for */
	struct proc *procs;
	struct tracee *tracees;
	unsigned strangers; /* tracees without a process */
	struct round round;
	const struct sampler *sampler;
	uint64_t interval; /* ns between ticks */
	bool realtime;     /* our own priority */
	bool ticking;      /* the clock is armed for a sample */
	struct stats stats;
	char last_image[32]; /* what was exec'ed last, and why it is not profiled */
	const char *last_reason;
	bool last_told; /* its runtime has said so itself */
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
void launch_seize(pid_t target, int sync);
void launch_child_signals(void);

/* runas.c */
int runas_parse(const char *spec, struct identity *id);
int runas_become(const struct identity *id);

/* inherit.c */
void inherit_save(const char *last_arg);
int inherit_restore(void);

/* front.c */
int front_run(pid_t target, pid_t supervisor);
void front_block_signals(void);
void front_restore_signals(void);

/* loop.c */
enum { TICK_SIGNAL = SIGALRM }; /* taken before SIGCHLD, whose flood must not keep it waiting */
void loop_run(struct profsup *ps);

/* dispatch.c */
void dispatch(struct profsup *ps, const struct event *ev);
void dispatch_orphans(struct profsup *ps);

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
int trace_seize(pid_t tid);
int trace_interrupt(pid_t tid);
int trace_resume(pid_t tid, bool watch, int signal);
int trace_listen(pid_t tid);
int trace_message(pid_t tid, unsigned long *message);
int trace_regs(pid_t tid, struct arch_regs *regs);
int trace_call(pid_t tid, struct trace_call *call);
int trace_set_number(pid_t tid, long nr);
int trace_set_result(pid_t tid, int64_t result);

/* bins.c */
void bins_put(struct proc *proc, pid_t tid, uint64_t index, uint16_t value);
void bins_flush(void);

/* mem.c: bounded copies, from and to target memory */
int mem_read(pid_t pid, uint64_t addr, void *buf, size_t len);
int mem_write(pid_t pid, uint64_t addr, const void *buf, size_t len);
int mem_write_16(pid_t pid, const uint64_t *addr, const uint16_t *value, size_t n);

/* procfs.c */
int procfs_open(pid_t pid, const char *what, int flags);
pid_t procfs_tgid(pid_t tid, pid_t *ppid);
pid_t procfs_tracer(pid_t tid);
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
};
int procfs_thread_time(int fd, struct thread_time *time);
int procfs_switches(pid_t tgid, pid_t tid, struct switches *sw);
int procfs_process_cpu(pid_t pid, uint64_t *ns);
int procfs_identity(pid_t tid, struct identity *id);
int procfs_comm(pid_t pid, char *comm, size_t size);
bool procfs_ignores(pid_t tid, int sig);
char procfs_yama_scope(void);
unsigned procfs_perf_max_rate(void);
int procfs_entry(pid_t pid, uint64_t *entry);

/* elfnote.c */
int elfnote_read(int fd, struct elf_info *info);

/* arctable.c */
int arctable_read(struct proc *proc, pid_t tid);
int arctable_read_thread(const struct proc *proc, pid_t tid, uint64_t tp, struct arcs *arcs);

/* vmshare.c */
void vmshare_note_creator(struct tracee *creator, struct tracee *t);
void vmshare_first_stop(struct tracee *t);
void vmshare_vfork(struct tracee *creator, struct proc *child);
void vmshare_vfork_done(struct tracee *creator);

/* image.c: what exec and the end of an image mean */
void image_exec(struct profsup *ps, struct proc *proc);
void image_finish(struct profsup *ps, struct proc *proc, pid_t tid);

/* state.c */
bool state_is_on(struct proc *proc, pid_t tid);

/* profcall.c */
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
void sampler_advise(const struct profsup *ps, const struct summary *s);
bool sampler_wants(const struct proc *proc);
void sampler_stopped(struct profsup *ps, struct tracee *t, const struct arch_regs *regs);
void sampler_start_thread(struct profsup *ps, struct tracee *t, bool new_thread);
void sampler_other_stop(const struct profsup *ps, struct tracee *t);
void sampler_end_thread(struct profsup *ps, struct tracee *t);
void sampler_settle(struct profsup *ps);
uint64_t sampler_now(void);

/* perfring.c */
struct perf_events {
	unsigned refs;
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
int perfring_fds(int *fd, int most);
int perfring_init(void);
bool perfring_would_do(void);
struct perf_events *perf_events_open(pid_t tid, uint64_t period);
void perf_events_drop(struct perf_events *ev);
void perfring_drain(struct profsup *ps, perf_sample_fn *take);

/* account.c: CPU time into ticks */
int account_time(struct tracee *t, struct thread_time *time);
int account_stat(struct tracee *t, struct thread_stat *st);
void account_forgive(struct tracee *t);
void account_owe(struct tracee *t, const struct thread_time *time);
void account_start(struct profsup *ps, struct tracee *t, bool new_thread);
uint64_t account_collect(struct profsup *ps, struct tracee *t);
void account_credit(struct profsup *ps, struct proc *proc, pid_t tid, uint64_t pc, uint64_t ticks);

/* awake.c */
void awake_note_lag(struct tracee *t, const struct thread_time *time);
void awake_other_stop(struct tracee *t);
bool awake_has_cpu(const struct profsup *ps, struct tracee *t, uint64_t now);
bool awake_before_tick(struct tracee *t, const struct arch_regs *regs);

/* round.c: which threads a tick stops */
void round_begin(struct profsup *ps);
bool round_add(struct profsup *ps, const struct proc *proc);
void round_sort(struct profsup *ps);
bool round_step(struct profsup *ps);
void round_stopped(struct profsup *ps);

/* seat.c: the supervisor's own CPU and priority */
bool seat_init(void);
void seat_check(uint64_t now);
bool seat_move(int cpu);
int seat_cpu(void);

/* gmon.c: pure */
struct buffer {
	uint8_t *data;
	size_t len;
};
int gmon_encode(const struct profile *p, unsigned hz, struct buffer *out);
void buffer_free(struct buffer *b);

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

/* output.c */
int output_write(struct profsup *ps, const struct proc *proc, const struct buffer *data, char *path,
                 size_t size);

/* priv.c */
void priv_start(void);
bool priv_is_lent(void);
bool priv_was_lent_perfmon(void);
int priv_give_back(void);
int priv_init(void);
int priv_become(const struct identity *id);
void priv_return(void);
int priv_caller(struct identity *id);
int priv_realtime(bool on);
struct perf_event_attr;
int priv_perf_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu);
int priv_open_proc(const char *path, int flags);

#endif
