/*
 * What the supervisor asks /proc and clocks, and takes from a thread library: os/clock.c, procfs.c,
 * procfs_thread.c and thread.c of the simulated machine.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sim.h"

/* What each of these takes, ns. */
enum {
	CLOCK = 30,
	OPEN = 4000,
	ACCOUNT = 1300,
	STAT = 5000,
	LEFT = 8000,
	PROCESS = 900,
	OTHER = 3000
};

/* A descriptor of a thread's file: its id, and above it which file. */
enum { FIRST_FD = 1 << 20 };
static const char *const files[] = { "schedstat", "stat", "sched", "syscall" };

uint64_t
clock_now(void)
{
	return now;
}

/* CPU clocks are no fresher than the account; those of our own threads are. */
uint64_t
clock_ns(clockid_t clock)
{
	const struct thread *t = sched_self();

	ours_spend(CLOCK);
	if (clock != CLOCK_THREAD_CPUTIME_ID)
		return now;
	return t->ran;
}

int
thread_start(size_t stack, void *(*run)(void *), void *arg)
{
	(void)stack;
	ours_spend(30000);
	ours_start(run, arg);
	return 0;
}

void *
apart_memory(size_t size)
{
	static char memory[2][32 << 10] __attribute__((aligned(64)));
	static unsigned taken;

	return size <= sizeof(memory[0]) && taken < 2 ? memory[taken++] : NULL;
}

int
apart_start(void *(*run)(void *), const int fds[2])
{
	(void)fds;
	return thread_start(0, run, NULL);
}

bool
apart_wait(const struct timespec *time)
{
	clock_nanosleep(CLOCK_MONOTONIC, 0, time, NULL);
	return true;
}

static int
lost(void)
{
	errno = ESRCH;
	return -1;
}

int
procfs_thread_open(pid_t tgid, pid_t tid, const char *what)
{
	(void)tgid;
	ours_spend(OPEN);
	if (sched_find(tid) == NULL || sched_find(tid)->state == GONE)
		return lost();
	for (int i = 0; i < (int)(sizeof(files) / sizeof(files[0])); i++)
		if (strcmp(what, files[i]) == 0)
			return FIRST_FD + tid * 8 + i;
	return lost();
}

static struct thread *
thread_of(int fd)
{
	struct thread *t = sched_find((fd - FIRST_FD) / 8);

	return t == NULL || t->state == GONE ? NULL : t;
}

int
procfs_thread_stat(int fd, struct thread_stat *st)
{
	const struct thread *t;

	ours_spend(STAT);
	t = thread_of(fd);
	if (t == NULL)
		return lost();
	*st = (struct thread_stat){
		.state = t->state == BLOCKED   ? 'S'
		         : t->state == STOPPED ? 't'
		                               : 'R',
		.cpu = t->cpu,
		.realtime = t->class > FAIR,
	};
	/* The kernel divides the exact time as its clock's ticks have found it. */
	if (t->ticks != 0)
		st->system = t->account * t->system_ticks / t->ticks;
	st->system -= st->system % (NSEC / 100);
	return 0;
}

int
procfs_thread_time(int fd, struct thread_time *time)
{
	const struct thread *t;

	ours_spend(ACCOUNT);
	t = thread_of(fd);
	if (t == NULL)
		return lost();
	*time = (struct thread_time){ t->account, t->waited, t->slices };
	return 0;
}

int
procfs_exec_start(int fd, uint64_t *ns)
{
	const struct thread *t;

	ours_spend(LEFT);
	t = thread_of(fd);
	if (t == NULL)
		return lost();
	*ns = t->exec_start;
	return 0;
}

int
procfs_thread_wait(int fd, struct thread_wait *wait)
{
	const struct thread *t;

	ours_spend(OTHER);
	t = thread_of(fd);
	if (t == NULL)
		return lost();
	if (t->state != BLOCKED) {
		errno = EAGAIN;
		return -1;
	}
	*wait = (struct thread_wait){ .sp = 1 << 20 };
	wait->syscall = tracees_pc(t, &wait->pc);
	return 0;
}

/* A process's clock brings the account of a thread that runs up to date only on the caller's CPU,
 * but that of our own is asked for by a thread of ours. */
int
procfs_process_cpu(pid_t pid, uint64_t *ns)
{
	const struct thread *ours = sched_find(pid);
	bool any = false;

	ours_spend(PROCESS);
	*ns = 0;
	if (ours != NULL && ours->process == NULL) {
		*ns = ours->ran;
		return 0;
	}
	for (const struct thread *t = threads; t != NULL; t = t->next)
		if (t->process != NULL && t->process->pid == pid) {
			*ns += t->account;
			any |= !t->reaped;
		}
	return any ? 0 : lost();
}

uint64_t
procfs_account_lag(void)
{
	return NSEC / 100;
}

unsigned
procfs_perf_max_rate(void)
{
	return 0;
}

pid_t
procfs_tgid(pid_t tid, pid_t *ppid)
{
	const struct thread *t = sched_find(tid);

	ours_spend(OTHER);
	if (ppid != NULL)
		*ppid = 1;
	return t == NULL || t->process == NULL ? -1 : t->process->pid;
}

pid_t
procfs_tracer(pid_t tid)
{
	ours_spend(OTHER);
	return sched_find(tid) == NULL ? 0 : 100;
}

bool
procfs_thread_runs(pid_t pid, pid_t tid)
{
	const struct thread *t = sched_find(tid);

	(void)pid;
	ours_spend(OTHER);
	return t != NULL && (t->state == READY || t->state == RUNNING);
}

size_t
procfs_children(pid_t pid, pid_t tid, pid_t *child, size_t most)
{
	(void)pid;
	(void)tid;
	(void)child;
	(void)most;
	ours_spend(OTHER);
	return 0;
}

int
procfs_comm(pid_t pid, char *comm, size_t size)
{
	(void)pid;
	strncpy(comm, "prog", size);
	return 0;
}
