/*
 * One run: what was asked for, where it stands, and its figures.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_RUN_H
#define PROFSUP_RUN_H

#include "os/os.h"

struct proc;
struct tracee;
struct sampler;

/* What was asked for: see options.c. */
enum sampler_choice { SAMPLER_PTRACE, SAMPLER_PERF, SAMPLER_AUTO };
struct options {
	unsigned hz;          /* -F: samples per second of CPU time */
	const char *dir;      /* -d, or NULL */
	const char *template; /* -o: what files are called */
	char **argv;          /* the program and its arguments */
	pid_t *pids;          /* -p: processes that run already */
	size_t npids;
	bool since_start;            /* --since-start */
	enum sampler_choice sampler; /* --sampler */
	const char *stats;           /* --stats, or NULL */
	const char *user;            /* -u, or NULL */
	struct identity run_as;      /* ids and groups of that user */
	char **env;                  /* -E, in order */
	size_t nenv;
	bool hz_chosen;    /* -F was given */
	bool no_follow;    /* --no-follow */
	bool sum;          /* --sum */
	bool report;       /* --report */
	bool top;          /* -T */
	bool call_graph;   /* -g */
	bool any;          /* -a */
	bool wall;         /* --wall */
	bool timeline;     /* --timeline */
	bool kill_on_exit; /* --kill-on-exit */
	char **only;       /* --only: patterns of program names */
	size_t nonly;
	long delay_ms;     /* -D; -1: for good */
	uint64_t duration; /* --duration, ns; 0: until the end */
	uint64_t every;    /* --every, ns; 0: no snapshots by the clock */
	bool intervals;    /* --intervals */
	char *control;     /* --control's fifo for commands, or NULL */
	char *ack;         /* --control's fifo for answers, or NULL */
	bool quiet;        /* -q */
	bool verbose;      /* -v */
};

/* wall.c: the time of all threads, ns. */
struct wall_stats {
	uint64_t time, cpu, runnable, blocked;
	uint64_t shared; /* of the blocked time: between looks that have not seen the same */
	uint64_t unseen; /* of that: of threads that no look has found blocked */
};

struct stats {
	uint64_t profiled;      /* processes */
	uint64_t bare;          /* those of them that were not linked for us */
	uint64_t without_calls; /* processes whose calls could not be read at their end */
	uint64_t unread;        /* programs that could not be read, for want of CAP_SYS_PTRACE */
	uint64_t execs;
	uint64_t samples;
	uint64_t ticks;
	uint64_t late;      /* ticks that a later sample stands for */
	uint64_t squares;   /* of the ticks that each sample stands for, their sum */
	uint64_t misplaced; /* stops at ends of calls that can't have been there at the tick */
	uint64_t unfound;   /* ticks of processes that ended before a sample */
	uint64_t unseen;    /* ticks of gaps, known to no place and in no file */
	uint64_t watched;   /* time that was sampled, ns */
	uint64_t gaps;      /* part of `watched` that late ticks left out, ns */
	struct perf_losses perf;
	uint64_t outside;          /* ticks whose pc had no bin */
	uint64_t libraries;        /* those of them that were in shared libraries */
	uint64_t cut_stacks;       /* ticks whose outermost callers are not known */
	uint64_t homeless;         /* ticks whose call stack found no room */
	uint64_t guessed;          /* ticks of whose call stack a frame is a guess */
	uint64_t unattributed;     /* samples of no process that is profiled */
	uint64_t stolen;           /* samples beyond their process's CPU time */
	uint64_t dropped;          /* calls that found no place in the arc tables */
	uint64_t dropped_profiles; /* profiles of images that executed another program */
	uint64_t dropped_ticks;    /* theirs */
	uint64_t carried_on;       /* system calls cut short by a stop and carried on */
	uint64_t cut;              /* system calls cut short by a stop, for good */
	uint64_t stops;            /* stops for samples */
	uint64_t stopped;          /* time of all those stops, ns */
	uint64_t longest_stop;     /* time of the longest of those stops, ns */
	struct wall_stats wall;
};

/* The files that a run has written. */
enum { WRITTEN_MOST = 256 };
struct written {
	uint64_t files;
	uint64_t ticks;          /* of the file with the most, whose are: */
	char dir[WRITTEN_MOST];  /* its directory; "": not known */
	char name[WRITTEN_MOST]; /* its name */
	char program[16];        /* name of its program */
	char path[WRITTEN_MOST]; /* that of its executable; "": not known */
	bool parts;              /* the files of one process are to be added up */
	bool elsewhere;          /* some files are in other directories */
	bool mixed;              /* some files are of other programs */
	size_t head, tail;       /* bytes at both ends of the name that all names have */
	uint64_t stacks;         /* how many have a file of call stacks beside them */
};

/* A tick's look at the threads of one CPU. */
enum { MOST_RIVALS = 64, MOST_ASKED = 16 };
struct round {
	struct tracee *rival[MOST_RIVALS]; /* threads that may have had our CPU */
	size_t n;
	pid_t asked[MOST_ASKED]; /* threads interrupted, not yet stopped, of earlier rounds, too */
	size_t nasked;
	bool sure;           /* the only rival has had its CPU all along */
	bool in_vain;        /* the tick samples nobody: see is_in_vain() */
	unsigned vain;       /* ticks in a row that came too late */
	unsigned idle;       /* ticks in a row at which nobody in a crowd had run */
	bool alone;          /* one thread ran at the last tick */
	bool crowded;        /* a thread that ran waits much for its CPU */
	size_t ran;          /* number of threads that may run */
	cpu_set_t cpus;      /* where they run */
	int ncpus;           /* the highest of those, and one more */
	cpu_set_t barred;    /* where threads ran that would not let us have the CPU */
	unsigned serial;     /* number of the tick */
	unsigned stride;     /* one in so many threads that slept is looked at */
	unsigned run_stride; /* one in so many threads that ran is looked at */
	size_t waiting;      /* threads interrupted by this one, not yet stopped */
	uint64_t looked_ns;  /* how long the look took */
	uint64_t give_up;    /* when to wait for them no longer, ns */
	int next;            /* CPU to sample next */
};

/* window.c: when a run is profiled */
enum window_state {
	WINDOW_OPEN,
	WINDOW_SHUT, /* not open yet, or not now */
	WINDOW_OVER, /* not open any more */
};
struct window {
	enum window_state state;
	uint64_t opens_at; /* when it opens, ns; 0: not by the clock */
	uint64_t ends_at;  /* when it is over, ns; 0: not by the clock */
};

/* control.c: opened as the caller, or -1. */
struct control {
	int commands, answers;
	int peer;             /* the other end of `commands`, lest that be at its end of file */
	uint64_t snapshot_at; /* when the next snapshot is due, ns; 0: not by the clock */
};

/* sampler.c: the clock. */
struct tick {
	uint64_t at;       /* when the next tick is due, ns */
	uint64_t last;     /* when the last one came, ns */
	uint64_t interval; /* time between ticks, ns */
	uint64_t longest;  /* what `interval` must not exceed, ns */
	bool for_sample;   /* the next tick is for a sample */
};

/* owed.c: CPU time of a process's threads, or of a run's processes, that no tick stands for yet;
 * below 0: more ticks have been booked than they have used. */
struct owed_sum {
	struct owed_sum *of; /* a process's: its run's */
	int64_t all;         /* ns */
	int64_t ended;       /* what of it those that have ended have left, ns */
};

/* image.c: what was exec'ed last, and why it is not profiled. */
struct last_exec {
	char image[32];
	const char *reason;
	bool told; /* its runtime has told the user why */
};

enum { HOST_MOST = 64 };
/* One run; made in main, passed down. */
struct profsup {
	struct options opt;
	struct identity caller;
	struct {
		pid_t pid;
		int pidfd;
		unsigned *wakes; /* in memory shared with it: how often it was told that the
		                  * target goes on, or is gone */
		unsigned *asked; /* likewise: how often it was asked for a snapshot */
	} front;
	pid_t target;
	struct proc *procs;
	struct proc *late; /* ended processes whose files are not written yet */
	struct tracee *tracees;
	struct tracee *held;
	unsigned unclaimed; /* tracees without a process */
	int outdir;         /* -d, opened as the caller; -1: each target's own directory */
	bool outdir_may_hang;
	int stats_fd;                /* --stats, opened as the caller, or -1 */
	int list_fd;                 /* where the files for --report are listed, or -1 */
	int top_fd;                  /* where profsup-report hears of --top, or -1 */
	struct helper *stats_writer; /* who writes what we write to that; NULL: we */
	sigset_t signals;            /* signals that we wait for */
	struct window window;
	struct control control;
	const struct sampler *sampler;
	uint64_t period; /* ns of CPU time per tick */
	struct tick tick;
	struct round round;
	struct owed_sum owed;
	struct {
		uint64_t next; /* when some thread is to be looked at, ns */
		size_t busy;   /* threads that do not sleep for long */
	} wall;
	bool crowded;         /* all CPUs are taken, or threads share a CPU */
	unsigned cpus;        /* CPUs that threads run on: each has its ticks */
	bool has_mailboxes;   /* some process has a mailbox */
	uint64_t over_at;     /* when the first wait that we have disturbed is over, ns; 0: none */
	uint64_t heard_at;    /* when we last heard of a tracee, ns */
	uint64_t patience;    /* -p: how long we wait for the last threads to be let go, ns */
	uint64_t detach_at;   /* threads are being let go since then, ns; 0: not yet */
	uint64_t detach_next; /* when to look again who is awake, ns */
	bool sleepers_only;   /* at the last look nobody was */
	struct stats stats;
	unsigned refused; /* descendants of -p's processes that can't be profiled */
	struct written written;
	struct last_exec last_exec;
	char host[HOST_MOST + 1]; /* our host's name, fit for a file name */
	uint64_t began;           /* the run, in microseconds since 1970 */
};

#endif
