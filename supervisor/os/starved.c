/*
 * A way out of a CPU that we do not get.
 *
 * The supervisor binds itself to the CPU of a thread that it samples.  If someone of a higher
 * real-time class keeps that CPU, the supervisor never runs again, and whoever is in a stop stays
 * there.  So a process of ours that may run anywhere, at the highest priority if we may have it,
 * looks 20 times a second whether the supervisor can run and does not.  After 50 to 100 ms it takes
 * the supervisor off that CPU, which is not gone to for a while then; where it gets none of all
 * CPUs, one after the other, the supervisor gets the highest priority, to let everybody go.
 *
 * And a way out for the others: a call can take seconds of CPU time where memory is short (a full
 * memory control group has the kernel look for pages to take back), and no signal ends it.  So
 * whoever of us has used half of a look's time loses the priority, and the process that looks is of
 * the deadline class, where the kernel itself sees to it, if it may run anywhere.
 *
 * And a way out of the kernel: what /proc tells of a thread may be locked for as long as an exec of
 * its process, which the program can keep from its end (stat since Linux 6.18: fsync by io_submit
 * on its own file system), and no signal ends that wait but one that kills.  Where the supervisor
 * has waited so for STUCK looks in a row, a thread of it makes a copy of the process, which kills
 * the supervisor and saves what is counted; all programs go on.  Where it can't, the supervisor is
 * killed STUCK looks later.
 *
 * That one is a process (apart.c) since a thread of ours would wait for memory, or for a lock, with
 * the one that it is to end.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS   (NSEC / 20)
#define GREEDY_NS (LOOK_NS / 2)
/* What a look may take. */
#define MOST_NS (NSEC / 500)
/* How long a CPU is not gone to: twice as long each time, up to a limit. */
#define AWAY_NS      NSEC
#define MOST_AWAY_NS (64 * NSEC)
/* So many looks in a row, at the least, find the supervisor without a CPU before it gives up.  A
 * host that takes a virtual CPU away for a while looks like a higher priority. */
enum { HOPELESS = 8 };
enum { STUCK = 5 * NSEC / LOOK_NS };
/* Room for the writing of files. */
enum { STACK_BYTES = 1 << 20 };

/* The watcher's, from the fork on. */
static pid_t us; /* our main thread */
static int stat_fd = -1, account_fd = -1;
static cpu_set_t tried; /* CPUs that the main thread did not get since it last ran */
static unsigned looks;  /* that have found it so since then */

static struct state {
	atomic_uint beats;             /* changes whenever the main thread has run */
	_Atomic uint64_t asleep_until; /* it has nothing to do before, ns */
	atomic_bool hopeless;
	sem_t stuck; /* posted when the main thread is */
	struct {
		_Atomic uint64_t until; /* it is not gone to until then, ns */
		uint64_t away;          /* for how long it was, ns */
	} taken[CPU_SETSIZE];
} unshared, *shared = &unshared;

/* Called by the main thread again and again. */
void
starved_beat(void)
{
	atomic_fetch_add_explicit(&shared->beats, 1, memory_order_relaxed);
}

/* Called when it is about to sleep. */
void
starved_sleep(uint64_t until)
{
	shared->asleep_until = until;
}

/* Whether a CPU was taken from us lately. */
bool
starved_on(int cpu)
{
	return cpu >= 0 && cpu < CPU_SETSIZE && clock_now() < shared->taken[cpu].until;
}

/* Whether there is no CPU that we get. */
bool
starved_is_hopeless(void)
{
	return shared->hopeless;
}

static void
note_taken(int cpu)
{
	const uint64_t now = clock_now();
	uint64_t away = AWAY_NS;

	if (cpu < 0 || cpu >= CPU_SETSIZE)
		return;
	if (now < shared->taken[cpu].until + shared->taken[cpu].away &&
	    shared->taken[cpu].away != 0)
		away = 2 * shared->taken[cpu].away;
	shared->taken[cpu].away = away < MOST_AWAY_NS ? away : MOST_AWAY_NS;
	shared->taken[cpu].until = now + shared->taken[cpu].away;
}

/* Only a higher real-time class keeps a CPU from us if we have a real-time priority.  Without one,
 * others may just be many: we get one if we can, and else try another CPU. */
static void
rescue(const struct thread_stat *st)
{
	cpu_set_t left, untried;

	if (!st->realtime && own_cpu_lend(0))
		return;
	looks++;
	CPU_SET(st->cpu, &tried);
	own_cpu_callers(&left);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &tried))
			CPU_CLR(i, &left);
	untried = left;
	if (st->realtime)
		note_taken(st->cpu);
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (starved_on(i))
			CPU_CLR(i, &left);
	own_cpu_free(CPU_COUNT(&left) != 0 ? &left : &untried);
	if (CPU_COUNT(&untried) == 0 && looks >= HOPELESS && st->realtime)
		shared->hopeless = own_cpu_lend(sched_get_priority_max(SCHED_FIFO));
}

/* The CPU time that our main thread and the others have used, ns. */
struct use {
	uint64_t main, others;
};

/* Returns how `now` is above `*then`, and makes them equal. */
static uint64_t
above(uint64_t now, uint64_t *then)
{
	const uint64_t by = now > *then ? now - *then : 0;

	*then = now;
	return by;
}

/* Curbs those that have used too much since the last look.  Returns what the main thread has
 * used, ns. */
static uint64_t
curb(struct use *use)
{
	struct thread_time time;
	uint64_t all, main, others;

	if (procfs_thread_time(account_fd, &time) < 0 || procfs_process_cpu(us, &all) < 0)
		return 0;
	main = above(time.cpu, &use->main);
	others = above(all > time.cpu ? all - time.cpu : 0, &use->others);
	own_cpu_curb(main > GREEDY_NS, others > GREEDY_NS);
	return main;
}

/* Readies this process to look. */
static void
become_watcher(struct use *use, struct thread_stat *st)
{
	/* The kernel makes room for what is read at the first reading. */
	procfs_thread_stat(stat_fd, st);
	curb(use);
	if (priv_is_lent())
		priv_give_back_in_thread();
	else if (priv_keep_nice_in_thread() == 0 && !own_cpu_have_share(MOST_NS, LOOK_NS))
		priv_set_priority(0, sched_get_priority_max(SCHED_FIFO));
	prctl(PR_SET_TIMERSLACK, LOOK_NS / 10, 0UL, 0UL, 0UL);
}

static void *
watch(void *arg)
{
	const struct timespec pause = { .tv_nsec = LOOK_NS };
	unsigned last = 0, stuck = 0;
	struct thread_stat st;
	struct use use = { 0 };
	uint64_t at = clock_now();

	become_watcher(&use, &st);
	while (apart_wait(&pause)) {
		const uint64_t before = at, used = curb(&use), until = shared->asleep_until;
		const unsigned beat = atomic_load_explicit(&shared->beats, memory_order_relaxed);

		at = clock_now();
		/* In a longer sleep there may be news for it. */
		if (beat != last || used != 0 || (at < until && until - at < 3 * LOOK_NS) ||
		    procfs_thread_stat(stat_fd, &st) < 0)
			st.state = '?';
		stuck = st.state == 'D' ? stuck + 1 : 0;
		if (stuck == STUCK)
			sem_post(&shared->stuck);
		else if (stuck == 2 * STUCK)
			starved_kill();
		if (st.state != 'R') {
			CPU_ZERO(&tried);
			looks = 0;
		} else if (at - before < 2 * LOOK_NS) {
			rescue(&st);
		}
		/* Else the whole machine may have stood still. */
		last = beat;
	}
	return arg;
}

static void (*save)(void *); /* what is counted, in a copy of the supervisor */
static void *save_arg;

/* Runs in a copy of the supervisor: saves what is counted if the main thread, which has used so
 * much CPU time before, has not run since.  Then nothing was half done when the copy was made. */
static void __attribute__((noreturn)) save_and_end(int fd, uint64_t before)
{
	struct thread_time time;

	if (procfs_thread_time(fd, &time) == 0 && time.cpu == before)
		save(save_arg);
	_exit(0);
}

/* A thread of the supervisor's, since only those have its memory. */
static void *
wait_to_save(void *arg)
{
	const int fd = procfs_thread_open(getpid(), us, "schedstat");
	struct thread_time time;

	for (;;) {
		while (sem_wait(&shared->stuck) < 0 && errno == EINTR)
			;
		if (procfs_thread_time(fd, &time) == 0 && fork() == 0)
			save_and_end(fd, time.cpu);
	}
	return arg;
}

/* Kills the supervisor, of which this is a copy: all its tracees go on. */
void
starved_kill(void)
{
	kill(us, SIGKILL);
}

/* Sets what saves the counts when the supervisor has to be killed; behind starved_init(). */
void
starved_save(void (*run)(void *), void *arg)
{
	save = run;
	save_arg = arg;
	/* Without a thread there is nothing to be saved; nor without a watcher. */
	if (shared != &unshared)
		thread_start(STACK_BYTES, wait_to_save, NULL);
}

/* Called by the main thread, which may be bound to a CPU from then on; not without a watcher. */
void
starved_init(void)
{
	struct state *memory = apart_memory(sizeof(*memory));

	us = gettid();
	stat_fd = procfs_thread_open(getpid(), us, "stat");
	account_fd = procfs_thread_open(getpid(), us, "schedstat");
	if (stat_fd < 0 || account_fd < 0 || memory == NULL)
		return;
	shared = memory;
	sem_init(&shared->stuck, 1, 0);
	if (apart_start(watch, (const int[]){ stat_fd, account_fd }) == 0)
		own_cpu_may_bind();
}
