/*
 * profil_call() with any arguments, any number of times, on memory that never says the same twice
 * and may be late, with samples and changes of the range between; and the file that comes of it. In
 * the target's memory its own bins are written and nothing else.
 *
 * An input is how jobs go, then what the ELF file said, then one operation after the other.
 * What the target's memory holds is taken from the input, too, at each reading.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: common/codetable.c common/machine_x86_64.c common/machine_aarch64.c
// SOURCES: dialect.c counts.c
// SOURCES: profil_call.c select.c profile.c state.c bins.c mem.c hist.c arcs.c gmon.c buffer.c
// SOURCES: stacks.c timeline.c unwind.c arch_x86_64.c arch_aarch64.c waiting.c space.c maps.c
// SOURCES: secret.c
#include "memjobs.h"

#include <fcntl.h>
#include <unistd.h>

enum { MAX_FILE_BINS = 1 << 20, NO = 0xff };

static struct input input;
static struct proc proc;
static uint64_t ticks;

/* In place of memory.c's: claims. */
static int
answer(const struct memory *m)
{
	MUST(m != NULL && m->refs > 0);
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
	(void)addr, (void)len, (void)access;
	return answer(m);
}

int
memory_write(struct memory *m, uint64_t addr, const void *data, size_t len, bool checked)
{
	(void)addr, (void)data, (void)len, (void)checked;
	return answer(m);
}

static void
check_writes(const struct memjob *e)
{
	const struct profile *p = proc.profile;

	for (size_t i = 0; i < e->pieces; i++) {
		const uint64_t at = e->to[i].addr - p->buf_addr - sizeof(struct profsup_header);

		MUST(e->to[i].len == sizeof(uint16_t) && at % sizeof(uint16_t) == 0);
		MUST(at < p->counts.samplesize && p->counts.samplesize - at >= sizeof(uint16_t));
	}
}

uint64_t
clock_now(void)
{
	static uint64_t now;

	return now += NSEC / 1000;
}

bool
trace_has_changed(pid_t tid)
{
	(void)tid;
	return take_number(&input, 1) == NO;
}

/* In place of procfs.c's. */
int
procfs_open(pid_t pid, const char *what, int flags)
{
	static const int errors[] = { ENOENT, EMFILE, EACCES, ELOOP };
	const uint64_t kind = take_number(&input, 1) % 8;

	(void)pid, (void)what, (void)flags;
	if (kind % 2 != 0) {
		errno = errors[kind / 2];
		return -1;
	}
	return open(kind == 0 ? "/dev/null" : "/", O_PATH | O_CLOEXEC);
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
	return take_number(&input, 1) == NO ? -1 : 0;
}

unsigned
owners_note(const struct identity *id)
{
	(void)id;
	return OWNERS;
}

bool
dialect_counts(const struct proc *of)
{
	return of->profile->dialect[0] != NULL;
}

void
dialect_fork(struct profile *p)
{
	if (p->dialect[0] != NULL)
		p->dialect[0] = calloc(1, sizeof(struct dialect));
}

void
dialect_close(struct profile *p)
{
	free(p->dialect[0]);
}

void
written_where(int dir, char where[WRITTEN_MOST])
{
	(void)dir;
	where[0] = '\0';
}

static void
do_call(struct profsup *ps, struct tracee *t)
{
	static const int errors[] = { 0,      ENOENT,  EPERM,  EINVAL, EALREADY,
		                      EBADF,  ENOTDIR, EFAULT, ESRCH,  EMFILE,
		                      EACCES, ELOOP,   EAGAIN, ENOSYS, ETIMEDOUT };
	const struct dialect *dialect = proc.profile == NULL ? NULL : proc.profile->dialect[0];
	uint64_t args[6];
	int64_t ret;
	bool known = false;

	for (int i = 0; i < 6; i++)
		args[i] = take_number(&input, 8);
	ret = profil_call(ps, t, args);
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		known |= ret == -errors[i];
	MUST(known);
	MUST(ret != 0 || (proc.image.elf.runtime && !proc.image.elf.dynamic && !proc.detach));
	MUST(ret != 0 || (uint32_t)args[4] <= PROFSUP_SCALE_ONE);
	MUST(dialect == NULL || proc.profile->dialect[0] == dialect);
}

/* As cpu_time_credit() books it. */
static void
do_sample(struct profile *p)
{
	const uint64_t pc = take_number(&input, 8), n = take_number(&input, 2);
	uint64_t index, total = 0;

	if (hist_index(&p->counts.hist, pc, &index))
		total = hist_add(&p->counts.hist, index, n);
	if (total == 0)
		p->counts.outside += n;
	else if (!p->off)
		bins_put(&proc, index, (uint16_t)total);
	ticks += n;
}

/* An older dialect's call was its first, and what that has turned on stays on. */
static void
do_older_call(void)
{
	if (proc.profile != NULL)
		return;
	proc.profile = profile_new();
	MUST(proc.profile != NULL);
	proc.profile->fileless = true;
	proc.profile->dialect[0] = calloc(1, sizeof(struct dialect));
}

/* A child, which goes on in its parent's place. */
static void
do_fork(void)
{
	struct profile *p = profile_fork(proc.profile);

	MUST(p != NULL);
	profile_free(proc.profile);
	proc.profile = p;
	ticks = 0;
}

static void
do_operation(struct profsup *ps, struct tracee *t)
{
	const uint64_t operation = take_number(&input, 1) % 8;

	if (operation <= 1)
		do_call(ps, t);
	else if (operation == 4)
		do_older_call();
	else if (operation == 5 && take_number(&input, 1) == NO)
		proc.detach = true;
	else if (operation == 6 && take_number(&input, 1) == NO)
		mem_close(&proc);
	else if (proc.profile != NULL && operation == 2 && !proc.profile->fileless)
		do_sample(proc.profile);
	else if (proc.profile != NULL && operation == 3)
		state_is_on(&proc);
	else if (proc.profile != NULL && operation == 7 && take_number(&input, 1) == NO)
		do_fork();
	else if (proc.profile != NULL)
		bins_tick(ps, &proc, clock_now());
}

static void
check_profile(const struct profile *p)
{
	uint64_t sum = 0;

	MUST(p->counts.samplesize <= PROFSUP_MAX_SAMPLESIZE && p->buflen <= PROFSUP_MAX_BUFLEN);
	MUST(p->counts.samplesize + sizeof(struct profsup_header) <= p->buflen);
	MUST(p->buf_addr + p->buflen >= p->buf_addr);
	MUST(p->counts.hist.nbins * sizeof(uint16_t) <= p->counts.samplesize);
	for (const struct hist_bin *bin = p->counts.hist.bins; bin != NULL; bin = bin->hh.next) {
		MUST(bin->index < p->counts.hist.nbins);
		sum += bin->ticks;
	}
	MUST(sum == p->counts.hist.ticks && sum + p->counts.outside == ticks);
	for (const char *c = p->place->name; *c != '\0'; c++)
		MUST(*c > ' ' && *c <= '~' && *c != '/');
	MUST(p->place->name[0] != '\0');
}

static void
check_file(const struct profile *p)
{
	struct buffer file;

	if (p->counts.hist.nbins > MAX_FILE_BINS ||
	    gmon_encode(&p->counts, &(struct image_id){ 0 }, 100, &file) < 0)
		return;
	MUST(file.len < 1UL << 30);
	buffer_free(&file);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t start = fuzz_clock();
	struct profsup ps = { .outdir = -1, .period = NSEC / 100 };
	struct tracee t = { .tid = 1, .proc = &proc };
	uint64_t flags;

	input = (struct input){ data, size };
	memjobs_begin(&input, check_writes);
	ticks = 0;
	flags = take_number(&input, 1);
	proc = (struct proc){ .pid = 1, .first = &t };
	proc.image.elf.runtime = (flags & 1) != 0;
	proc.image.elf.dynamic = (flags & 2) != 0;
	proc.image.elf.foreign = (flags & 4) != 0;
	ps.opt.report = (flags & 8) != 0;
	proc.image.elf.state = take_number(&input, 8);
	proc.image.state_addr = take_number(&input, 8);
	mem_open(&proc, 1);
	while (input.left > 0) {
		do_operation(&ps, &t);
		if (proc.profile != NULL && !proc.profile->fileless)
			check_profile(proc.profile);
	}
	if (proc.profile != NULL && !proc.profile->fileless)
		check_file(proc.profile);
	mem_close(&proc);
	memjobs_end();
	profile_free(proc.profile);
	MUST(fuzz_clock() - start < FUZZ_MS);
	return 0;
}
