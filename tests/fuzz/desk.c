/*
 * The desk of a program that leaves any calls there, with samples, forks and paused clocks between:
 * counts are added inside of the buffers that it named and nowhere else.
 *
 * An input is one operation after the other; what the target's memory holds is taken from it, too,
 * at each reading.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: desk.c dialect.c profile.c hist.c arcs.c
#include "fuzz.h"
#include "profsup.h"

#include <errno.h>

enum { MAX_COPIES = 100000, DESK = 0x5000 };

static struct input input;
static unsigned copies;
/* The profile whose samples are being booked. */
static const struct profile *booked;

int
mem_read(struct proc *proc, pid_t tid, uint64_t addr, void *buf, size_t len)
{
	(void)proc, (void)tid, (void)addr;
	MUST(++copies < MAX_COPIES);
	if (take_number(&input, 1) == 0xff) {
		errno = EFAULT;
		return -1;
	}
	take(&input, buf, len);
	return 0;
}

static bool
is_in_a_buffer(uint64_t addr, size_t len)
{
	for (unsigned i = 0; i < DIALS; i++) {
		const struct dial *d = booked->dial[i];

		for (size_t r = 0; d != NULL && r < d->n; r++)
			if (addr - d->range[r].buf < d->range[r].size &&
			    addr - d->range[r].buf + len <= d->range[r].size)
				return true;
	}
	return false;
}

int
mem_write(struct proc *proc, pid_t tid, uint64_t addr, const void *data, size_t len)
{
	(void)proc, (void)tid, (void)data;
	MUST(++copies < MAX_COPIES && len <= 256);
	if (booked != NULL)
		MUST(is_in_a_buffer(addr, len));
	else
		MUST(addr - DESK < sizeof(struct profsup_desk));
	errno = EFAULT;
	return take_number(&input, 1) == 0xff ? -1 : 0;
}

bool
procfs_is_writable(pid_t tid, uint64_t addr, uint64_t len)
{
	(void)tid;
	return addr + len >= addr && take_number(&input, 1) != 0xff;
}

int
procfs_entry(pid_t pid, uint64_t *entry)
{
	(void)pid;
	*entry = 0;
	return 0;
}

/* What the others do is not of interest here. */
void
gate_first_profile(struct profsup *ps)
{
	(void)ps;
}

void
sampler_start_thread(struct profsup *ps, struct tracee *t, bool new_thread)
{
	(void)ps, (void)t, (void)new_thread;
}

void
sampler_settle(struct profsup *ps)
{
	(void)ps;
}

void
sampler_wake(struct profsup *ps)
{
	(void)ps;
}

void
sampler_hurry(struct profsup *ps, uint64_t ns)
{
	(void)ps;
	(void)ns;
}

uint64_t
sampler_now(void)
{
	return 0;
}

void
perf_events_drop(struct perf_events *ev) /* cppcheck-suppress constParameter */
{
	MUST(ev == NULL);
}

void
log_verbose(const char *fmt, ...)
{
	(void)fmt;
}

static void
do_sample(struct profsup *ps, struct proc *proc)
{
	const uint64_t pc = take_number(&input, 8);

	booked = proc->profile;
	desk_credit(ps, proc, 1, pc, take_number(&input, 2));
	booked = NULL;
}

/* A child, which goes on in its parent's place. */
static void
do_fork(struct proc *proc)
{
	struct profile *p = profile_fork(proc->profile);

	MUST(p != NULL);
	profile_free(proc->profile);
	proc->profile = p;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t start = fuzz_clock();
	struct profsup ps = { .outdir = -1, .period = NSEC / 100, .interval = NSEC };
	struct proc proc = { .pid = 1 };
	struct tracee t = { .tid = 1, .proc = &proc };

	input = (struct input){ data, size };
	copies = 0;
	proc.elf.desk = proc.desk_addr = DESK;
	proc.first = &t;
	ps.opt.hz = 100;
	ps.opt.hz_chosen = take_number(&input, 1) & 1;
	while (input.left > 0) {
		const uint64_t operation = take_number(&input, 1) % 8;

		if (operation <= 2)
			desk_look(&ps, &proc, 1);
		else if (proc.profile != NULL && operation <= 5)
			do_sample(&ps, &proc);
		else if (proc.profile != NULL && operation == 6)
			do_fork(&proc);
		else
			desk_open(&ps, &proc);
		proc.desk_addr = DESK;
	}
	if (proc.profile != NULL)
		MUST(proc.profile->fileless);
	profile_free(proc.profile);
	MUST(fuzz_clock() - start < FUZZ_MS);
	return 0;
}
