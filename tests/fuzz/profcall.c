/*
 * profcall() with any arguments, any number of times, on memory that never says the same twice,
 * with samples and changes of the range between; and the file that comes of it.
 *
 * An input is what the ELF file said, then one operation after the other.  What the target's memory
 * holds is taken from the input, too, at each reading.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: profcall.c select.c profile.c state.c hist.c arcs.c gmon.c buffer.c
#include "fuzz.h"
#include "profsup.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { MAX_FILE_BINS = 1 << 20 };

static struct input input;
static unsigned calls_seen;
static uint64_t ticks;

/* In place of mem.c's: claims. */
int
mem_read(struct proc *proc, pid_t tid, uint64_t addr, void *buf, size_t len)
{
	(void)proc, (void)tid, (void)addr;
	if (take_number(&input, 1) == 0xff) {
		errno = EFAULT;
		return -1;
	}
	take(&input, buf, len);
	return 0;
}

uint64_t
sampler_now(void)
{
	return 0;
}

/* In place of bins.c's. */
int
bins_flush_and_read(struct proc *proc, pid_t tid, uint64_t addr, void *buf, size_t len)
{
	return mem_read(proc, tid, addr, buf, len);
}

/* In place of procfs.c's. */
int
procfs_open(pid_t pid, const char *what, int flags)
{
	const uint64_t kind = take_number(&input, 1) % 4;

	(void)pid, (void)what, (void)flags;
	if (kind == 0) {
		errno = ENOENT;
		return -1;
	}
	return open(kind == 1 ? "/dev/null" : "/", O_PATH | O_CLOEXEC);
}

int
procfs_comm(pid_t pid, char *comm, size_t size)
{
	(void)pid;
	take(&input, comm, 16);
	comm[size < 16 ? size - 1 : 15] = '\0';
	return 0;
}

int
procfs_identity(pid_t tid, struct identity *id)
{
	(void)tid;
	*id = (struct identity){ 0 };
	errno = ESRCH;
	return take_number(&input, 1) == 0xff ? -1 : 0;
}

/* In place of mounts.c's. */
bool
mounts_may_hang(int fd, pid_t pid)
{
	(void)fd, (void)pid;
	return false;
}

void
symtab_want(const struct proc *proc)
{
	(void)proc;
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
	calls_seen++;
}

void
sampler_settle(struct profsup *ps)
{
	(void)ps;
}

bool
desk_counts(const struct proc *proc)
{
	(void)proc;
	return false;
}

void
desk_fork(struct profile *p)
{
	(void)p;
}

void
desk_close(struct profile *p)
{
	(void)p;
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

void
log_error(const char *fmt, ...)
{
	(void)fmt;
}

static void
do_call(struct profsup *ps, struct tracee *t)
{
	static const int errors[] = { 0,       EPERM,  EINVAL, EALREADY, EBADF,
		                      ENOTDIR, EFAULT, ESRCH,  ENOENT };
	uint64_t args[6];
	int64_t ret;
	bool known = false;

	for (int i = 0; i < 6; i++)
		args[i] = take_number(&input, 8);
	ret = profcall(ps, t, args);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		known |= ret == -errors[i];
	MUST(known);
	MUST(ret != 0 || (t->proc->elf.runtime && !t->proc->elf.dynamic));
	MUST(ret != 0 || (uint32_t)args[4] <= PROFSUP_SCALE_ONE);
}

/* As account_credit() books it. */
static void
do_sample(struct profile *p)
{
	const uint64_t pc = take_number(&input, 8), n = take_number(&input, 2);
	uint64_t index;

	if (hist_index(&p->hist, pc, &index) && hist_add(&p->hist, index, n) != 0)
		MUST(sizeof(struct profsup_header) + (index + 1) * sizeof(uint16_t) <= p->buflen);
	else
		p->outside += n;
	ticks += n;
}

static void
check_profile(const struct profile *p)
{
	uint64_t sum = 0;

	MUST(p->samplesize <= PROFSUP_MAX_SAMPLESIZE && p->buflen <= PROFSUP_MAX_BUFLEN);
	MUST(p->samplesize + sizeof(struct profsup_header) <= p->buflen);
	MUST(p->buf_addr + p->buflen >= p->buf_addr);
	MUST(p->hist.nbins * sizeof(uint16_t) <= p->samplesize);
	for (const struct hist_bin *bin = p->hist.bins; bin != NULL; bin = bin->hh.next) {
		MUST(bin->index < p->hist.nbins);
		sum += bin->ticks;
	}
	MUST(sum == p->hist.ticks && sum + p->outside == ticks);
	for (const char *c = p->place->name; *c != '\0'; c++)
		MUST(*c > ' ' && *c <= '~' && *c != '/');
	MUST(p->place->name[0] != '\0');
}

static void
check_file(const struct profile *p)
{
	struct buffer file;

	if (p->hist.nbins > MAX_FILE_BINS || gmon_encode(p, 100, &file) < 0)
		return;
	MUST(file.len < 1UL << 30);
	buffer_free(&file);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t start = fuzz_clock();
	struct profsup ps = { .outdir = -1 };
	struct proc proc = { .pid = 1 };
	struct tracee t = { .tid = 1, .proc = &proc };
	uint64_t flags;

	input = (struct input){ data, size };
	ticks = 0;
	flags = take_number(&input, 1);
	proc.elf.runtime = (flags & 1) != 0;
	proc.elf.dynamic = (flags & 2) != 0;
	proc.elf.foreign = (flags & 4) != 0;
	proc.elf.state = take_number(&input, 8);
	proc.state_addr = take_number(&input, 8);
	proc.first = &t;
	while (input.left > 0) {
		const uint64_t operation = take_number(&input, 1) % 4;

		if (operation <= 1)
			do_call(&ps, &t);
		else if (proc.profile != NULL && operation == 2)
			do_sample(proc.profile);
		else if (proc.profile != NULL)
			state_is_on(&proc, t.tid);
		if (proc.profile != NULL)
			check_profile(proc.profile);
	}
	if (proc.profile != NULL)
		check_file(proc.profile);
	profile_free(proc.profile);
	MUST(fuzz_clock() - start < FUZZ_MS);
	return 0;
}
