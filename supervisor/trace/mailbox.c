/*
 * The calls of the older profil(2)s, which a program leaves in its mailbox (see struct
 * profsup_mailbox).  Their counts are dialect_count.c's.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Most ranges of a call. */
enum { MOST_RANGES = 1024 };
/* How long a program may have to wait for an answer, ns. */
#define ANSWER_NS (NSEC / 20)
/* AIX's rate, unless -F asks for another. */
enum { AIX_HZ = 60 };
/* A program's calls take no more than 1 / CALLS_SHARE of our time: a program may leave one at
 * each tick, and have so many mappings that looking at them takes long.  Our CPU time counts: on
 * crowded CPUs a call may take long through no fault of the program's, which uses CPU time while
 * it waits. */
enum { CALLS_SHARE = 20 };

/* Tells an image with a mailbox that a supervisor is there.  False: not yet, its memory was
 * late. */
bool
mailbox_open(struct profsup *ps, struct proc *proc)
{
	const uint32_t one = 1;
	struct profsup_mailbox mailbox;
	uint64_t entry, addr;

	if (proc->image.elf.mailbox == 0 || proc->image.elf.foreign ||
	    procfs_entry(proc->pid, &entry) < 0)
		return true;
	addr = proc->image.elf.mailbox + (entry - proc->image.elf.entry);
	if (mem_read(proc, addr, &mailbox, sizeof(mailbox)) < 0)
		return errno != ETIMEDOUT;
	if (mailbox.magic != PROFSUP_MAILBOX_MAGIC || mailbox.version != PROFSUP_ABI_VERSION)
		return true;
	if (mem_write(proc, addr + offsetof(struct profsup_mailbox, supervised), &one,
	              sizeof(one)) < 0)
		return errno != ETIMEDOUT;
	proc->mailbox.addr = addr;
	proc->mailbox.rest = 0;
	proc->mailbox.served = mailbox.answered;
	pace_hurry(ps, ANSWER_NS);
	pace_wake(ps);
	return true;
}

/* Called before the process runs on without us: this answers a thread that waits, and no thread
 * asks again. */
void
mailbox_detach(struct proc *proc)
{
	const uint32_t zero = 0;

	if (proc->mailbox.addr != 0)
		mem_write(proc, proc->mailbox.addr + offsetof(struct profsup_mailbox, supervised),
		          &zero, sizeof(zero));
	proc->mailbox.addr = 0;
}

/* What came of one call. */
struct outcome {
	struct dialect *dialect; /* NULL: off */
	bool refused;            /* the dialect that was on stays on */
	bool late;               /* the program's memory was late: there is no outcome yet */
	int64_t result;
};

static struct outcome
off(int64_t result)
{
	return (struct outcome){ .result = result };
}

static struct outcome
refused(int error)
{
	return (struct outcome){ .refused = true, .result = -error };
}

/* What the call points to can't be read or written, or not now. */
static struct outcome
unreachable(struct outcome otherwise)
{
	return errno == ETIMEDOUT ? (struct outcome){ .refused = true, .late = true } : otherwise;
}

/* Makes a dialect of four arguments: a buffer, its size, an offset and a scale. */
static struct outcome
one_range(const struct profsup_mailbox *mailbox, uint64_t scale)
{
	const uint64_t size = mailbox->arg[1];
	struct dialect *d;

	if (scale == 0 || size == 0)
		return off(0);
	d = dialect_new(mailbox->call, 1);
	if (d == NULL)
		return refused(ENOMEM);
	d->range[0] =
	    (struct dialect_range){ mailbox->arg[0], size, mailbox->arg[2], UINT64_MAX, scale };
	return (struct outcome){ .dialect = d };
}

/* 4.4BSD's is the only one of the four that reports a bad buffer before it is hit. */
static struct outcome
call_bsd(struct proc *proc, const struct profsup_mailbox *mailbox)
{
	const uint32_t scale = (uint32_t)mailbox->arg[3];

	if (scale > PROFSUP_SCALE_ONE)
		return refused(EINVAL);
	if (scale != 0 && mem_check(proc, mailbox->arg[0], mailbox->arg[1],
	                            MEMORY_READABLE | MEMORY_WRITABLE) < 0)
		return unreachable(off(-EFAULT));
	return one_range(mailbox, scale);
}

static struct outcome
call_illumos(const struct profsup_mailbox *mailbox)
{
	const uint32_t scale = (uint32_t)mailbox->arg[3];

	return one_range(mailbox, scale == 1 ? 0 : scale);
}

/* Reads an array that ends with p_high 0: a page at once, since nobody knows how far it goes.  -1
 * with errno; EINVAL: it is not in the order of addresses, or too long. */
static int
read_aix_ranges(struct proc *proc, uint64_t addr, struct dialect *d)
{
	struct profsup_aix_range some[MEMJOB_BYTES / sizeof(struct profsup_aix_range)];
	uint64_t high = 0;
	size_t n = 0;

	for (size_t i = 0;; i++) {
		if (i == n) {
			addr += n * sizeof(some[0]);
			n = (MEMJOB_BYTES - addr % MEMJOB_BYTES) / sizeof(some[0]);
			n += n == 0; /* one that lies in two pages */
			i = 0;
			if (mem_read(proc, addr, some, n * sizeof(some[0])) < 0)
				return -1;
		}
		if (some[i].high == 0)
			return 0;
		if (some[i].high < high || d->n == MOST_RANGES) {
			errno = EINVAL;
			return -1;
		}
		high = some[i].high;
		d->range[d->n++] = dialect_aix_range(&some[i]);
	}
}

static struct outcome
aix_ranges(struct proc *proc, uint64_t addr)
{
	struct dialect *d = dialect_new(PROFSUP_CALL_AIX, MOST_RANGES);
	struct outcome o = { 0 };

	if (d == NULL)
		return refused(ENOMEM);
	d->n = 0;
	if (read_aix_ranges(proc, addr, d) < 0)
		o = errno == EINVAL ? refused(EINVAL) : unreachable(off(-EFAULT));
	else if (d->n != 0)
		return (struct outcome){ .dialect = d };
	free(d);
	return o;
}

static struct outcome
call_aix(const struct profsup *ps, struct proc *proc, const struct profsup_mailbox *mailbox)
{
	const uint64_t scale = mailbox->arg[3] & UINT16_MAX;
	struct outcome o;

	if ((uint32_t)mailbox->arg[1] == UINT32_MAX)
		o = aix_ranges(proc, mailbox->arg[0]);
	else
		o = one_range(mailbox, scale);
	if (o.dialect != NULL && (uint32_t)mailbox->arg[1] != UINT32_MAX && scale == 1)
		o.dialect->range[0].offset = 0; /* "all instructions" */
	if (o.dialect != NULL && !ps->opt.hz_chosen)
		o.dialect->hz = AIX_HZ;
	return o;
}

/* A scale below 2 means that there is no range. */
static int
read_sprofil_ranges(struct proc *proc, uint64_t addr, struct dialect *d)
{
	static struct profsup_sprofil_range from[MOST_RANGES];

	if (mem_read(proc, addr, from, d->n * sizeof(from[0])) < 0)
		return -1;
	for (size_t i = 0; i < d->n; i++)
		d->range[i] =
		    (struct dialect_range){ from[i].buf, from[i].size, from[i].offset, UINT64_MAX,
			                    from[i].scale < 2 ? 0 : from[i].scale };
	return 0;
}

static struct outcome
call_sprofil(const struct profsup *ps, struct proc *proc, const struct profsup_mailbox *mailbox)
{
	const int64_t tick = (int64_t)(ps->period / 1000);
	const uint64_t n = mailbox->arg[1];
	struct dialect *d;

	if (n == 0)
		return off(tick);
	d = n <= MOST_RANGES ? dialect_new(PROFSUP_CALL_SPROFIL, n) : NULL;
	if (d == NULL)
		return refused(ENOMEM);
	if ((mailbox->arg[2] & PROFSUP_SPROFIL_32_BIT) != 0)
		d->width = sizeof(uint32_t);
	if (read_sprofil_ranges(proc, mailbox->arg[0], d) < 0) {
		free(d);
		return unreachable(off(-EFAULT));
	}
	return (struct outcome){ .dialect = d, .result = tick };
}

/* The result is how many program counters the array before this one has got. */
static struct outcome
call_pcsample(struct proc *proc, const struct profsup_mailbox *mailbox,
              const struct dialect *before)
{
	const int64_t taken = before == NULL ? 0 : (int64_t)before->taken;
	const uint64_t n = mailbox->arg[1];
	struct dialect *d;

	if (n == 0)
		return off(taken);
	if (n > INT_MAX)
		return refused(EINVAL);
	if (mem_check(proc, mailbox->arg[0], n * sizeof(uint64_t),
	              MEMORY_READABLE | MEMORY_WRITABLE) < 0)
		return unreachable(refused(EFAULT));
	d = dialect_new(PROFSUP_CALL_PCSAMPLE, 1);
	if (d == NULL)
		return refused(ENOMEM);
	d->range[0] = (struct dialect_range){ mailbox->arg[0], n * sizeof(uint64_t), 0, UINT64_MAX,
		                              PROFSUP_SCALE_ONE };
	return (struct outcome){ .dialect = d, .result = taken };
}

static struct outcome
call(struct profsup *ps, struct proc *proc, const struct profsup_mailbox *mailbox)
{
	struct profile *p = proc->profile;

	switch (mailbox->call) {
	case PROFSUP_CALL_BSD:
		return call_bsd(proc, mailbox);
	case PROFSUP_CALL_ILLUMOS:
		return call_illumos(mailbox);
	case PROFSUP_CALL_AIX:
		return call_aix(ps, proc, mailbox);
	case PROFSUP_CALL_SPROFIL:
		return call_sprofil(ps, proc, mailbox);
	case PROFSUP_CALL_PCSAMPLE:
		return call_pcsample(proc, mailbox,
		                     p == NULL ? NULL : p->dialect[PROFSUP_CALL_PCSAMPLE - 1]);
	default:
		return refused(ENOSYS);
	}
}

/* Samples the process from here on, if it was not sampled; CPU time used before is not owed. */
static int
start(struct profsup *ps, struct proc *proc)
{
	struct place *place;

	if (proc->profile == NULL) {
		proc->profile = profile_new();
		if (proc->profile == NULL)
			return -1;
		place = proc->profile->place;
		if (procfs_identity(proc->pid, &place->id) == 0)
			place->owner = owners_note(&place->id);
		proc->profile->fileless = true;
		ps->stats.profiled++;
		window_first_profile(ps);
	} else if (!proc->profile->fileless || dialect_counts(proc)) {
		return 0;
	}
	sampler_start_process(ps, proc);
	return 0;
}

/* Serves a call.  Whatever was counted before it is where the program can see it. */
static struct outcome
serve(struct profsup *ps, struct proc *proc, const struct profsup_mailbox *mailbox)
{
	struct outcome o;

	sampler_settle(ps);
	o = call(ps, proc, mailbox);
	if (o.dialect != NULL && start(ps, proc) < 0) {
		free(o.dialect);
		o = refused(ENOMEM);
	}
	if (proc->profile == NULL || o.refused) {
		free(o.dialect); /* it is NULL */
		return o;
	}
	free(proc->profile->dialect[mailbox->call - 1]);
	proc->profile->dialect[mailbox->call - 1] = o.dialect;
	if (o.dialect != NULL)
		pace_hurry(ps, ps->period);
	return o;
}

static void
answer(struct proc *proc, uint32_t number, int64_t result)
{
	const uint64_t at = proc->mailbox.addr;

	if (mem_write(proc, at + offsetof(struct profsup_mailbox, result), &result,
	              sizeof(result)) == 0)
		mem_write(proc, at + offsetof(struct profsup_mailbox, answered), &number,
		          sizeof(number));
}

/* Whether the program has given up, as it may have other data by now where its bins were.  It says
 * so before it looks for an answer a last time, and we look for that after we have answered. */
static bool
is_given_up(struct proc *proc, struct profsup_mailbox *mailbox)
{
	if (mem_read(proc, proc->mailbox.addr, mailbox, sizeof(*mailbox)) < 0)
		return false;
	if (mailbox->supervised != 0)
		return false;
	log_verbose("%d: does not wait for an answer any more: the older dialects are off",
	            proc->pid);
	proc->mailbox.addr = 0;
	if (proc->profile != NULL)
		dialect_close(proc->profile);
	return true;
}

/* Serves a call, once: its answer may be late, and is the same then.  False: there is none yet. */
static bool
has_answer(struct profsup *ps, struct proc *proc, const struct profsup_mailbox *mailbox)
{
	struct outcome o;

	if (mailbox->posted == proc->mailbox.served)
		return true;
	o = serve(ps, proc, mailbox);
	if (o.late)
		return false;
	log_verbose("%d: profil dialect %llu(%#llx, %llu, %#llx, %llu) = %lld", proc->pid,
	            (unsigned long long)mailbox->call, (unsigned long long)mailbox->arg[0],
	            (unsigned long long)mailbox->arg[1], (unsigned long long)mailbox->arg[2],
	            (unsigned long long)mailbox->arg[3], (long long)o.result);
	proc->mailbox.served = mailbox->posted;
	proc->mailbox.result = o.result;
	return true;
}

/* Answers the call that the process has left, if there is one. */
void
mailbox_look(struct profsup *ps, struct proc *proc)
{
	struct profsup_mailbox mailbox = { 0 };
	const uint64_t began = clock_ns(CLOCK_PROCESS_CPUTIME_ID);

	if (is_given_up(proc, &mailbox) || mailbox.posted == mailbox.answered ||
	    !has_answer(ps, proc, &mailbox))
		return;
	answer(proc, mailbox.posted, proc->mailbox.result);
	is_given_up(proc, &mailbox);
	proc->mailbox.rest =
	    clock_now() + (clock_ns(CLOCK_PROCESS_CPUTIME_ID) - began) * CALLS_SHARE;
}

/* Called at each tick, for a process with a mailbox.  A program that has not run has left no call,
 * and a call that is left while it waits for a vfork child is the child's. */
void
mailbox_tick(struct profsup *ps, struct proc *proc, const struct tracee *t, uint64_t now)
{
	uint64_t cpu;

	if (now < proc->mailbox.rest || (t->vm.in_vfork && proc->live == 1) ||
	    procfs_process_cpu(proc->pid, &cpu) < 0 || cpu == proc->mailbox.cpu)
		return;
	proc->mailbox.cpu = cpu;
	mailbox_look(ps, proc);
}
