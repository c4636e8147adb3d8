/*
 * CPU time that a thread has used since its last sample, by the scheduler's own account, is booked
 * as ticks of the sample's pc; owed.c has the arithmetic.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Most descriptors for /proc files that are kept open; a thread takes three. */
enum { MOST_KEPT = 8192 };

static int most_kept; /* descriptors that we keep, of those we may have */

/* Threads are looked at again and again: to open a file takes longer than to read it.  Half of our
 * descriptors is left for other things. */
void
cpu_time_init(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	most_kept = limit.rlim_cur / 2 < MOST_KEPT ? (int)limit.rlim_cur / 2 : MOST_KEPT;
}

/* Returns a /proc file of the thread: the kept one, or a new one, or -1 with errno. */
static int
file_of(const struct tracee *t, int kept, const char *what)
{
	int fd;

	do
		fd = kept >= 0 ? kept : procfs_thread_open(t->proc->pid, t->tid, what);
	while (fd < 0 && fds_spend_spare());
	return fd;
}

/* Keeps the file open while there are few enough. */
static void
keep(int *kept, int fd)
{
	if (fd < 0 || fd == *kept)
		return;
	if (fd < most_kept && fds_have_spare())
		*kept = fd;
	else
		fds_give_back(fd);
}

/* Reads a thread's account. */
int
cpu_time_read(struct tracee *t, struct thread_time *time)
{
	const int fd = file_of(t, t->cpu.sched_fd, "schedstat");
	const int ret = fd < 0 ? -1 : procfs_thread_time(fd, time);

	keep(&t->cpu.sched_fd, fd);
	return ret;
}

/* Reads what it waits in.  EAGAIN: it runs. */
int
cpu_time_wait(struct tracee *t, struct thread_wait *wait)
{
	const int fd = file_of(t, -1, "syscall");

	return fd < 0 ? -1 : mem_wait(t->proc, fd, wait);
}

int
cpu_time_stat(struct tracee *t, struct thread_stat *st)
{
	const int fd = file_of(t, t->cpu.stat_fd, "stat");
	const int ret = fd < 0 ? -1 : procfs_thread_stat(fd, st);

	keep(&t->cpu.stat_fd, fd);
	return ret;
}

/* Gets when a thread that has no CPU left its last one, by that CPU's clock. */
int
cpu_time_left(struct tracee *t, uint64_t *left)
{
	const int fd = file_of(t, t->cpu.left_fd, "sched");
	const int ret = fd < 0 ? -1 : procfs_exec_start(fd, left);

	keep(&t->cpu.left_fd, fd);
	return ret;
}

/* CPU time that the thread has used until now is not owed. */
void
cpu_time_forgive(struct tracee *t)
{
	struct thread_time time;

	if (cpu_time_read(t, &time) == 0)
		owed_forgive(&t->cpu.owed, &time);
}

static int64_t
lead(const struct profsup *ps)
{
	const uint64_t chance = (uint64_t)random();

	if (ps->tick.interval != ps->period || ps->cpus != 1)
		return (int64_t)(chance % ps->period);
	return owed_lead(ps->period, (int64_t)(ps->tick.at - clock_now()), chance);
}

/* A thread's CPU time counts from here.  A new thread owes so much to begin with that its first
 * tick is full when the next one comes, if it runs until then: so short-lived threads get their
 * share of whole ticks, and where the ticks find them.  What a thread still owes from before a
 * pause is not booked where it is from now on. */
void
cpu_time_start(struct profsup *ps, struct tracee *t, bool new_thread)
{
	struct owed *o = &t->cpu.owed;

	if (o->seen.cpu == 0)
		owed_begin(o, lead(ps));
	if (new_thread)
		return;
	cpu_time_forgive(t);
	ps->stats.unseen += owed_take(o, &t->proc->owed, ps->period, 1, UINT64_MAX);
}

/* CPU time that the thread has used until now is owed. */
static bool
look(struct tracee *t, struct thread_time *time)
{
	return cpu_time_read(t, time) == 0 && owed_add(&t->cpu.owed, &t->proc->owed, time);
}

/* CPU time since the last look, as whole ticks, less `left`, `most` of them; the rest stays owed.
 * Where some are left there is no sample. */
uint64_t
cpu_time_collect(const struct profsup *ps, struct tracee *t, uint64_t left, uint64_t most)
{
	struct thread_time time;

	if (!look(t, &time))
		return 0;
	if (left == 0)
		t->cpu.then = time;
	return owed_take(&t->cpu.owed, &t->proc->owed, ps->period, left, most);
}

/* The same of a thread that ends, with what others have left. */
uint64_t
cpu_time_end(const struct profsup *ps, struct tracee *t)
{
	struct owed_sum *sum = &t->proc->owed;
	struct thread_time time;
	uint64_t ticks;

	look(t, &time);
	ticks = owed_end(&t->cpu.owed, sum, ps->period);
	return t->proc->live > 1 ? ticks : ticks + owed_settle(sum, ps->period, 0);
}

/* In a thread's exit stop: books ticks that no sample stands for at the last sample, or where
 * another process of its program was found, or where the thread is. */
void
cpu_time_credit_unfound(struct profsup *ps, struct tracee *t, uint64_t last_pc, uint64_t ticks)
{
	struct arch_regs regs = { 0 };
	struct stack stack = { .n = 0 };

	ps->stats.late += ticks;
	/* They add to a sample of usual size. */
	ps->stats.squares += 2 * ticks * ps->stats.ticks / (ps->stats.samples + 1);
	if (last_pc == 0) {
		ps->stats.unfound += ticks;
		last_pc = recent_any(t->proc, &stack);
	}
	/* Where no sample of the program is known the place is not, either: its callers least. */
	if (last_pc == 0 && trace_regs(t->tid, &regs) == 0)
		last_pc = regs.pc;
	cpu_time_credit(ps, t->proc, last_pc, ticks, stack.n > 0 ? &stack : NULL);
}

/* Books ticks where a sample was.  `stack`: that of the sample; NULL: it is not known. */
void
cpu_time_credit(struct profsup *ps, struct proc *proc, uint64_t pc, uint64_t ticks,
                const struct stack *stack)
{
	struct profile *p = proc->profile;
	uint64_t index, total;

	p->last_pc = pc;
	ps->stats.ticks += ticks;
	ps->stats.squares += ticks * ticks;
	dialect_credit(ps, proc, pc, ticks);
	if (p->fileless || !p->mode.on || p->off)
		return;
	if (pc >= p->runtime.low && pc < p->runtime.high)
		pc = p->runtime.mcount_pc;
	callers_credit(ps, proc, pc, ticks, stack);
	total =
	    hist_index(&p->counts.hist, pc, &index) ? hist_add(&p->counts.hist, index, ticks) : 0;
	if (total == 0)
		p->counts.outside += ticks;
	else
		bins_put(proc, index, (uint16_t)total);
}
