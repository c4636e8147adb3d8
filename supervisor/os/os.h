/*
 * The kernel: ptrace, /proc, clocks, CPUs and priorities, rights, perf, descriptors, and processes
 * of our own.
 *
 * Conventions: leaves return -1 with errno and print nothing; a function that prints says so.  An
 * address in a target is a uint64_t named ..._addr, never a pointer.  -1 is "no descriptor".
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_OS_H
#define PROFSUP_OS_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#define NSEC 1000000000ULL

/* Our own failures; everything else is the target's exit status. */
enum { EXIT_OURS = 125, EXIT_CANNOT_EXEC = 126, EXIT_NOT_FOUND = 127 };

/* clock.c */
uint64_t clock_ns(clockid_t clock);
uint64_t clock_now(void); /* of CLOCK_MONOTONIC */

/* log.c */
void log_init(bool quiet, bool verbose);
void log_never_wait(void);
void log_verbose(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_notice(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_asked(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_fatal(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));
bool log_put(const char *text, size_t len);
void log_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_progress_end(void);
const char *log_safe(const char *name, char *buf, size_t size);

/* The rights with which files are touched, or a program is run. */
struct identity {
	bool overrides; /* held CAP_DAC_OVERRIDE */
	uid_t uid;
	gid_t gid;
	uid_t user; /* who has started the process: its real user id */
	size_t ngroups;
	gid_t *groups;
};

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
bool priv_may_trace_any(void);
int priv_become(const struct identity *id);
void priv_return(void);
int priv_caller(struct identity *id);
int priv_realtime(int priority);
int priv_admin(int (*work)(pid_t tid, unsigned long arg), pid_t tid, unsigned long arg);
struct perf_event_attr;
int priv_perf_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu);
int priv_open_proc(const char *path, int flags);
int priv_open_mapped(const char *path);

/* thread.c */
int thread_start(size_t stack, void *(*run)(void *), void *arg);

/* helper.c */
enum { HELPER_MOST = 64, HELPER_LEFT = 128, HELPER_BYTES = 1024, HELPER_KEPT = 2 };
struct helper;
struct helper *helper_begin(int (*work)(void *arg), const void *arg, size_t len, const int *keep,
                            size_t nkeep);
int helper_end(struct helper *a, void *arg, size_t len, int ms);
uint64_t helper_cpu(const struct helper *a);
bool helper_has_room(void);
void helper_leave(struct helper *a);

/* outlet.c */
struct helper *outlet_begin(int to, int *in);
int outlet_end(struct helper *h, int in);
void outlet_messages(void);

/* fds.c */
int fds_copy_of(pid_t pid, int fd);
void fds_close_but(const int *keep, size_t n, unsigned from);
bool fds_have_spare(void);
bool fds_spend_spare(void);

/* mounts.c */
struct file_id {
	dev_t dev;
	ino_t ino;
};
/* What is another when a file is written again, or another file has its number. */
struct file_version {
	uint64_t size;    /* bytes */
	uint64_t changed; /* ns since 1970: no call can set it, unlike the time of writing */
	uint64_t made;    /* likewise; 0: the file system does not tell */
};
int mounts_identify(int fd, struct file_id *id);
int mounts_open_known(int dir, const char *path);
int mounts_open_inside(int root, const char *path);
int mounts_version(int fd, struct file_id *id, struct file_version *version);
bool mounts_may_hang(int fd);
bool mounts_is_ours(int fd);
bool mounts_is_set_user_id(int fd, uid_t *owner);
bool mounts_lends_capabilities(int fd);

/* The scheduler's account of a thread. */
struct thread_time {
	uint64_t cpu;    /* user and system, ns */
	uint64_t waited; /* time spent waiting for a CPU, until it last got one, ns */
};

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
pid_t *procfs_processes(size_t *n);
bool procfs_is_kernel(pid_t pid);
bool procfs_is_ending(pid_t pid);
bool procfs_is_zombie(pid_t tid);
size_t procfs_children(pid_t pid, pid_t tid, pid_t *child, size_t most);

/* procfs_family.c */
pid_t *procfs_family(const pid_t *of, size_t nof, pid_t but, size_t *n);

/* procfs_thread.c: by files of a thread that are read again and again */
struct thread_stat {
	char state;      /* 'R', 'S' and so on */
	int cpu;         /* CPU that it ran on last */
	bool realtime;   /* is in a real-time class, or has a deadline */
	uint64_t system; /* CPU time in the kernel, to 10 ms, ns */
};
int procfs_thread_open(pid_t tgid, pid_t tid, const char *what);
int procfs_thread_stat(int fd, struct thread_stat *st);
int procfs_thread_time(int fd, struct thread_time *time);
int procfs_thread_account(int fd, struct thread_time *time, uint64_t *slices);
/* What a thread that has no CPU is in. */
struct thread_wait {
	long syscall; /* number of the call; -1: it is in none */
	uint64_t sp, pc;
};
int procfs_thread_wait(int fd, struct thread_wait *wait);
int procfs_exec_start(int fd, uint64_t *ns);

/* procfs.c */
void identity_free(struct identity *id);
bool identity_same(const struct identity *a, const struct identity *b);
int procfs_process_cpu(pid_t pid, uint64_t *ns);
int procfs_identity(pid_t tid, struct identity *id);
uid_t procfs_user(pid_t pid, gid_t *group);
bool procfs_is_elevated(pid_t pid);
pid_t procfs_inner_pid(pid_t pid);
int procfs_born(pid_t pid, uint64_t *ns);
int procfs_comm(pid_t pid, char *comm, size_t size);
bool procfs_is_script(pid_t pid, const char *comm);
/* What becomes of a signal that a process gets. */
struct signal_use {
	bool ignored, caught;
	bool by_init; /* it is the first process of a PID namespace */
};
void procfs_signal_use(pid_t tid, int sig, struct signal_use *use);
bool procfs_waits_for_answer(pid_t tid);
char procfs_yama_scope(void);
unsigned procfs_perf_max_rate(void);
uint64_t procfs_account_lag(void);
int64_t procfs_clock_ahead(void);
int procfs_entry(pid_t pid, uint64_t *entry);

/* syscalls.c: names of system calls; NULL: it has none that we know */
extern const char *const syscall_names[];
extern const size_t syscall_names_n;
const char *syscall_name(uint64_t nr);

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
	int status;
};
struct event event_classify(pid_t tid, int status);

/* Registers of a stopped thread. */
struct arch_regs {
	uint64_t pc;
	uint64_t sp, fp; /* stack pointer and frame pointer */
	uint64_t base;   /* arch_frames.base; 0: there is none */
	uint64_t link;   /* return address of a leaf function; 0: machines that push it */
	uint64_t result;
	uint64_t thread_pointer;
	long syscall; /* number of the call it stopped in, -1 = none */
};

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
bool trace_is_from_inside(pid_t tid);
int trace_regs(pid_t tid, struct arch_regs *regs);
int trace_call(pid_t tid, struct trace_call *call);
int trace_set_number(pid_t tid, long nr);
int trace_suspend_filter(pid_t tid, bool suspend);
bool trace_can_suspend_filter(pid_t tid);

/* A system call that a thread has made, or is to make. */
struct made_call {
	uint64_t pc; /* address behind the call's instruction */
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

/* filter.c: would a thread's own filter let a call through? */
struct sock_filter;
struct seccomp_data;
bool filter_allows(const struct sock_filter *program, size_t n, const struct seccomp_data *data);

/* diagnose.c: words for errors */
bool diagnose_is_elf(const char *path);
const char *diagnose_exec(const char *name, int error);
const char *diagnose_machine(unsigned machine, bool is_64);
const char *diagnose_perf(int error);
const char *diagnose_trace(pid_t target);
const char *diagnose_read(int error);
const char *diagnose_attach(pid_t pid);

/* own_cpu.c: the supervisor's own CPU and priority */
enum { PRIORITY_OURS = 1, PRIORITY_KEEPER }; /* real-time priorities */
bool own_cpu_init(void);
void own_cpu_share(void);
void own_cpu_leave(void);
bool own_cpu_have_share(uint64_t ns, uint64_t period);
void own_cpu_curb(uint64_t most);
bool own_cpu_put(pid_t tid, int cpu);
void own_cpu_bring(pid_t tid);
void own_cpu_check(uint64_t now);
bool own_cpu_is_short(void);
void own_cpu_charge(uint64_t ns);
bool own_cpu_is_urgent(void);
bool own_cpu_move(int cpu);
int own_cpu_now(void);
size_t own_cpu_allowed(void);
void own_cpu_sleeps(void);
bool own_cpu_has_waited(void);
int own_cpu_since(uint64_t *since);

void own_cpu_callers(cpu_set_t *set);
bool own_cpu_lend(int most);
void own_cpu_free(const cpu_set_t *cpus);

/* starved.c: a way out of a CPU that we do not get */
bool starved_init(void);
void starved_beat(void);
void starved_sleep(uint64_t until);
bool starved_on(int cpu);
bool starved_is_hopeless(void);

/* ticker.c */
enum { TICK_SIGNAL = SIGPROF }; /* taken after SIGCHLD, before CONTROL_SIGNAL */
void ticker_init(void);
bool ticker_set(uint64_t now, uint64_t at, uint64_t after);

/* perfring.c */
struct perf_events {
	unsigned refs;
	struct perf_events *more; /* events of threads that existed before ours were opened */
	int n;
	int fd[];
};
struct perf_sample {
	pid_t pid, tid;
	uint64_t time;         /* CLOCK_MONOTONIC, ns */
	struct arch_regs regs; /* the program's: pc, and if perf has told them sp, fp and link */
	const uint8_t *stack;  /* what was at sp */
	size_t stack_len;
};
typedef void perf_sample_fn(void *arg, const struct perf_sample *sample);
struct perf_losses {
	uint64_t lost;      /* samples that found no room in a ring */
	uint64_t throttled; /* times that the kernel stopped sampling for a moment */
};
int perfring_open(void);
int perfring_open_tree(uint64_t period);
void perfring_close(void);
void perfring_want_stacks(void);
unsigned perfring_room(void);
unsigned perfring_busy(unsigned threads);
int perfring_fds(int *fd, int most);
int perfring_init(bool threads_only);
bool perfring_would_do(void);
int perf_events_open(struct perf_events **events, pid_t tid, uint64_t period);
void perf_events_drop(struct perf_events *ev);
void perfring_drain(perf_sample_fn *take, void *arg, struct perf_losses *losses);

#endif
