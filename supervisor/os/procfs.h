/*
 * What /proc tells of processes and threads.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_PROCFS_H
#define PROFSUP_PROCFS_H

#include "os/rights.h"

#include <stdint.h>
#include <sys/stat.h>

/* The scheduler's account of a thread. */
struct thread_time {
	uint64_t cpu;    /* user and system, ns */
	uint64_t waited; /* time spent waiting for a CPU, until it last got one, ns */
	uint64_t slices; /* how often it has been given a CPU */
};

/* procfs.c */
int procfs_open(pid_t pid, const char *what, int flags);
__attribute__((format(printf, 3, 4))) ssize_t procfs_read(char *buf, size_t size, const char *path,
                                                          ...);
bool procfs_runs_in(pid_t pid, pid_t *group, pid_t *foreground);
bool procfs_limits_files(pid_t tid);
int procfs_fd_link(pid_t tid, int fd, char *link, size_t size);
int procfs_fd_file(pid_t tid, int fd, struct statx *file);
pid_t *procfs_threads(pid_t pid, size_t *n);
pid_t *procfs_processes(size_t *n);
bool procfs_is_kernel(pid_t pid);
bool procfs_is_ending(pid_t pid);
bool procfs_is_zombie(pid_t tid);
size_t procfs_children(pid_t pid, pid_t tid, pid_t *child, size_t most);

int procfs_process_cpu(pid_t pid, uint64_t *ns);
bool procfs_is_elevated(pid_t pid);
int procfs_born(pid_t pid, uint64_t *ns);
int procfs_comm(pid_t pid, char *comm, size_t size);
bool procfs_is_script(pid_t pid, const char *comm);
bool procfs_waits_for_answer(pid_t tid);
char procfs_yama_scope(void);
unsigned procfs_perf_max_rate(void);
uint64_t procfs_account_lag(void);
int64_t procfs_clock_ahead(void);
int procfs_entry(pid_t pid, uint64_t *entry);

/* procfs_status.c */
pid_t procfs_tgid(pid_t tid, pid_t *ppid);
pid_t procfs_tracer(pid_t tid);
bool procfs_has_filter(pid_t tid);
bool procfs_is_strict(pid_t tid);
int procfs_identity(pid_t tid, struct identity *id);
uid_t procfs_user(pid_t pid, gid_t *group);
pid_t procfs_inner_pid(pid_t pid);
/* What becomes of a signal that a process gets. */
struct signal_use {
	bool ignored, caught;
	bool by_init; /* it is the first process of a PID namespace */
};
void procfs_signal_use(pid_t tid, int sig, struct signal_use *use);

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
bool procfs_thread_runs(pid_t pid, pid_t tid);
bool procfs_thread_sleeps(pid_t pid, pid_t tid);
int procfs_thread_time(int fd, struct thread_time *time);
/* What a thread that has no CPU is in. */
struct thread_wait {
	long syscall; /* number of the call; -1: it is in none */
	uint64_t sp, pc;
};
int procfs_thread_wait(int fd, struct thread_wait *wait);
int procfs_exec_start(int fd, uint64_t *ns);

#endif
