/*
 * The mailbox of a program that leaves any calls there, with samples, forks and paused clocks
 * between, in memory that may be late: counts are added inside of the buffers that it named and
 * nowhere else.
 *
 * An input is how jobs go, then one operation after the other; what the target's memory holds is
 * taken from it, too, at each reading.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: common/codetable.c common/machine_x86_64.c common/machine_aarch64.c
// SOURCES: mailbox.c dialect_count.c dialect.c profile.c mem.c hist.c arcs.c counts.c unwind.c
// SOURCES: arch_x86_64.c arch_aarch64.c stacks.c timeline.c waiting.c space.c maps.c secret.c
#include "memjobs.h"

enum { MAX_COPIES = 100000, MAILBOX = 0x5000, NO = 0xff };

static struct input input;
static unsigned copies;
/* The profile whose samples are being booked. */
static const struct profile *booked;

/* In place of memory.c's: claims. */
static int
answer(const struct memory *m)
{
	MUST(m != NULL && m->refs > 0);
	MUST(++copies < MAX_COPIES);
	errno = EFAULT;
	return take_number(&input, 1) == NO ? -1 : 0;
}

int
memory_read(const struct memory *m, uint64_t addr, void *buf, size_t len)
{
	(void)addr;
	if (answer(m) < 0)
		return -1;
	take(&input, buf, len);
	return 0;
}

int
memory_check(struct memory *m, uint64_t addr, uint64_t len, unsigned access)
{
	MUST(access == (MEMORY_READABLE | MEMORY_WRITABLE));
	return answer(m) == 0 && addr + len >= addr ? 0 : -1;
}

int
memory_write(struct memory *m, uint64_t addr, const void *data, size_t len, bool checked)
{
	(void)addr, (void)data, (void)len, (void)checked;
	return answer(m);
}

static bool
is_in_a_buffer(uint64_t addr, size_t len)
{
	for (unsigned i = 0; i < DIALECTS; i++) {
		const struct dialect *d = booked->dialect[i];

		for (size_t r = 0; d != NULL && r < d->n; r++)
			if (addr - d->range[r].buf < d->range[r].size &&
			    addr - d->range[r].buf + len <= d->range[r].size)
				return true;
	}
	return false;
}

/* The supervisor's members of it. */
static bool
is_in_the_mailbox(uint64_t addr, size_t len)
{
	switch (addr - MAILBOX) {
	case offsetof(struct profsup_mailbox, supervised):
	case offsetof(struct profsup_mailbox, answered):
		return len == sizeof(uint32_t);
	case offsetof(struct profsup_mailbox, result):
		return len == sizeof(int64_t);
	default:
		return false;
	}
}

/* When they are sent: by the time that one which was late is back, the buffer may be another. */
static void
check_writes(const struct memjob *e)
{
	for (size_t i = 0; i < e->pieces; i++) {
		MUST(e->to[i].len <= 256);
		MUST(booked != NULL ? is_in_a_buffer(e->to[i].addr, e->to[i].len)
		                    : is_in_the_mailbox(e->to[i].addr, e->to[i].len));
	}
	/* A sample reads nothing but the bin that it counts up. */
	if (booked != NULL && e->len != 0)
		MUST(is_in_a_buffer(e->from, e->len));
}

int
procfs_identity(pid_t pid, struct identity *id)
{
	(void)pid, (void)id;
	return memjobs_decide() == GOES_WELL ? 0 : -1;
}

unsigned
owners_note(const struct identity *id)
{
	(void)id;
	return OWNER_CALLER;
}

int
procfs_entry(pid_t pid, uint64_t *entry)
{
	(void)pid;
	*entry = 0;
	return 0;
}

uint64_t
clock_now(void)
{
	return 0;
}

uint64_t
clock_ns(clockid_t clock)
{
	return (uint64_t)clock;
}

int
procfs_process_cpu(pid_t pid, uint64_t *ns)
{
	*ns = (uint64_t)pid;
	return 0;
}

struct tracee *
tracee_live(const struct proc *of)
{
	return of->first;
}

static void
do_sample(struct profsup *ps, struct proc *proc)
{
	const uint64_t pc = take_number(&input, 8);

	booked = proc->profile;
	dialect_credit(ps, proc, pc, take_number(&input, 2));
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

static void
do_operation(struct profsup *ps, struct proc *proc)
{
	const uint64_t operation = take_number(&input, 1) % 16;

	if (operation <= 2)
		mailbox_look(ps, proc);
	else if (operation == 8 && take_number(&input, 1) == NO)
		mem_close(proc);
	else if (operation == 9)
		mailbox_detach(proc);
	else if (proc->profile != NULL && operation <= 5)
		do_sample(ps, proc);
	else if (proc->profile != NULL && operation == 6)
		do_fork(proc);
	else
		mailbox_open(ps, proc);
	MUST(proc->mailbox.addr == 0 || proc->mailbox.addr == MAILBOX);
	proc->mailbox.addr = MAILBOX;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t start = fuzz_clock();
	struct profsup ps = { .outdir = -1, .period = NSEC / 100, .tick.interval = NSEC };
	struct proc proc = { .pid = 1 };
	struct tracee t = { .tid = 1, .proc = &proc };

	input = (struct input){ data, size };
	memjobs_begin(&input, check_writes);
	copies = 0;
	proc.image.elf.mailbox = proc.mailbox.addr = MAILBOX;
	proc.first = &t;
	mem_open(&proc, 1);
	ps.opt.hz = 100;
	ps.opt.hz_chosen = take_number(&input, 1) & 1;
	while (input.left > 0)
		do_operation(&ps, &proc);
	if (proc.profile != NULL)
		MUST(proc.profile->fileless);
	mem_close(&proc);
	memjobs_end();
	profile_free(proc.profile);
	MUST(fuzz_clock() - start < FUZZ_MS);
	return 0;
}
