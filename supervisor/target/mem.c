/*
 * Copies out of and into target memory, bounded in size and in the time that we wait for them.
 *
 * A copy that is late goes on without us.  Until it is done, each call for that process fails with
 * ETIMEDOUT.  A caller that needs the result makes the same call again later.
 *
 * SPDX-License-Identifier: ISC
 */
#include "target/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How long a job is waited for whose thread only waits for a CPU; and one without which a system
 * call of the program's would stay cut short. */
#define WAIT_NS      (NSEC / 100)
#define WAIT_LONG_NS (NSEC / 5)

/* Runs in the worker thread. */
static void
carry_out(struct memjob *job)
{
	const uint8_t *data = job->out;

	job->write_error = job->read_error = 0;
	for (size_t i = 0; i < job->pieces && job->write_error == 0; i++) {
		turn_give_way();
		if (memory_write(job->memory, job->to[i].addr, data, job->to[i].len, i > 0) < 0)
			job->write_error = errno;
		data += job->to[i].len;
	}
	if (job->len != 0 && memory_read(job->memory, job->from, job->in, job->len) < 0)
		job->read_error = errno;
}

static void
look_up(struct memjob *job)
{
	job->read_error =
	    memory_check(job->memory, job->from, job->area, job->access) < 0 ? errno : 0;
}

/* Pages of a stack that one walk reads at the most. */
enum { STACK_PAGES = 16, BLIND_PAGES = 48 };

/* The two pages that were last read: of the stack, and of code that has called something. */
struct page {
	uint64_t addr; /* 1: none */
	uint64_t word[4096 / sizeof(uint64_t)];
};
struct pages {
	const struct memory *memory;
	unsigned reads, most;
	unsigned last; /* the one that was used last */
	struct page page[2];
};

static bool
read_word(void *arg, uint64_t addr, uint64_t *word)
{
	struct pages *pages = arg;
	struct page *p = &pages->page[pages->last];
	const uint64_t page = addr & ~(uint64_t)(sizeof(p->word) - 1);

	if (addr % sizeof(*word) != 0)
		return false;
	if (p->addr != page) {
		pages->last ^= 1;
		p = &pages->page[pages->last];
	}
	if (p->addr != page) {
		p->addr = 1;
		if (pages->reads++ == pages->most ||
		    memory_read(pages->memory, page, p->word, sizeof(p->word)) < 0)
			return false;
		p->addr = page;
	}
	*word = p->word[(addr - page) / sizeof(*word)];
	return true;
}

/* Copies as much as there is of a stack that is to be walked later. */
static void
copy_stack(struct memjob *job)
{
	struct raw_stack *raw = &job->raw;
	uint64_t at = job->regs.sp;

	raw->regs = job->regs;
	raw->len = 0;
	while (raw->len < sizeof(raw->data)) {
		size_t n = 4096 - at % 4096;

		if (n > sizeof(raw->data) - raw->len)
			n = sizeof(raw->data) - raw->len;
		if (memory_read(job->memory, at, raw->data + raw->len, n) < 0)
			break;
		raw->len += n;
		at += n;
	}
}

static bool
has_changed(const struct memjob *job, uint32_t object)
{
	const struct space *s = job->space;

	for (size_t i = 0; i < s->n; i++)
		if (s->code[i].object == object && s->file[i].ino != 0 &&
		    !memory_has(job->memory, s->code[i].low, &s->file[i]))
			return true;
	return false;
}

/* Whether other files may be mapped by now where the stack leads through. */
static bool
is_stale(const struct memjob *job)
{
	uint32_t last = OBJECT_PROGRAM;

	for (unsigned i = 0; i < job->stack.n; i++) {
		const uint32_t object = frame_object(job->stack.frame[i]);

		if (object == last || object < OBJECTS_OF_RUN)
			continue;
		if (has_changed(job, object))
			return true;
		last = object;
	}
	return false;
}

static void
walk_stack(struct memjob *job)
{
	const struct unwind u = { job->space->code, job->space->n, job->regs };
	struct pages pages = { .memory = job->memory };

	pages.page[0].addr = pages.page[1].addr = 1;
	pages.most = job->regs.blind ? BLIND_PAGES : STACK_PAGES;

	job->lost_at = unwind_walk(&u, read_word, &pages, &job->stack);
	job->changed = is_stale(job);
	if (job->stack.waits || job->lost_at != 0)
		copy_stack(job);
	job->read_error = 0;
}

static void
read_maps(struct memjob *job)
{
	maps_free(&job->maps);
	job->read_error = memory_maps(job->memory, &job->maps) < 0 ? errno : 0;
}

/* The program may change the count between our read and write, as it may if a kernel counts. */
static void
count_up(struct memjob *job)
{
	uint32_t count = 0;

	job->write_error = job->read_error = 0;
	if (memory_read(job->memory, job->from, &count, job->len) < 0) {
		job->read_error = errno;
		return;
	}
	count =
	    dialect_count(job->add.call, (unsigned)job->len, count, job->add.ticks, &job->add.full);
	if (memory_write(job->memory, job->from, &count, job->len, false) < 0)
		job->write_error = errno;
}

/* Whether the process's memory can't be reached, or a copy is late; errno says which. */
static bool
is_out_of_reach(struct proc *proc)
{
	if (proc->vm.memory == NULL) {
		errno = proc->vm.error;
		return true;
	}
	if (proc->vm.late != NULL && !memjob_is_done(proc->vm.late)) {
		errno = ETIMEDOUT;
		return true;
	}
	return false;
}

static struct memjob *
new_job(const struct proc *proc, void (*work)(struct memjob *))
{
	struct memjob *job = memjob_new(proc->vm.memory);

	if (job != NULL) {
		job->work = work;
		job->wait = WAIT_NS;
		job->pieces = job->out_len = job->len = 0;
	}
	return job;
}

static struct memjob *
memjob_for(struct proc *proc, void (*work)(struct memjob *))
{
	if (is_out_of_reach(proc))
		return NULL;
	memjob_forget(proc->vm.late);
	proc->vm.late = NULL;
	return new_job(proc, work);
}

static int
run(struct proc *proc, struct memjob *job)
{
	if (memjob_run(job) == 0)
		return 0;
	proc->vm.late = job;
	errno = ETIMEDOUT;
	return -1;
}

static int
result(int error)
{
	if (error == 0)
		return 0;
	errno = error;
	return -1;
}

static void
to_read(struct memjob *job, uint64_t addr, size_t len)
{
	job->from = addr;
	job->len = len;
}

static void
to_write(struct memjob *job, uint64_t addr, const void *data, size_t len)
{
	memcpy(job->out + job->out_len, data, len);
	job->out_len += len;
	job->to[job->pieces++] = (struct memjob_piece){ addr, len };
}

/* Returns the late job if it is done and did the same: a new one might be late each time. */
static const struct memjob *
/* cppcheck-suppress constParameter */
same_as_late(const struct proc *proc, memjob_work *work, uint64_t addr, uint64_t len)
{
	const struct memjob *job = proc->vm.late;

	if (job == NULL || !memjob_is_done(proc->vm.late) || job->work != work ||
	    job->pieces != 0 || job->from != addr ||
	    (work == look_up ? job->area : job->len) != len)
		return NULL;
	return job;
}

/* Reads all of it, MEMJOB_BYTES at the most, or fails with EFAULT. */
int
mem_read(struct proc *proc, uint64_t addr, void *buf, size_t len)
{
	const struct memjob *late = same_as_late(proc, carry_out, addr, len);
	struct memjob *job;

	if (late != NULL && late->read_error == 0) {
		memcpy(buf, late->in, len);
		memjob_forget(proc->vm.late);
		proc->vm.late = NULL;
		return 0;
	}
	job = memjob_for(proc, carry_out);
	if (job == NULL)
		return -1;
	to_read(job, addr, len);
	if (run(proc, job) < 0 || result(job->read_error) < 0)
		return -1;
	memcpy(buf, job->in, len);
	return 0;
}

/* Writes a few bytes.  EFAULT: they can't be written. */
int
mem_write(struct proc *proc, uint64_t addr, const void *data, size_t len)
{
	struct memjob *job = memjob_for(proc, carry_out);

	if (job == NULL)
		return -1;
	to_write(job, addr, data, len);
	return run(proc, job) < 0 ? -1 : result(job->write_error);
}

/* Adds to a bin in the program's memory.  *full: the bin takes no more.  EFAULT: it can't be
 * written. */
int
mem_count(struct proc *proc, const struct dialect *d, uint64_t bin, uint64_t ticks, bool *full)
{
	struct memjob *job = memjob_for(proc, count_up);

	*full = false;
	if (job == NULL)
		return -1;
	to_read(job, bin, d->width);
	job->add = (struct dialect_ticks){ .call = d->call, .ticks = ticks };
	if (run(proc, job) < 0 || result(job->read_error) < 0 || result(job->write_error) < 0)
		return -1;
	*full = job->add.full;
	return 0;
}

/*
 * Writes each value to its own address, and then reads `len` bytes, if any, in one job.  Returns 0
 * if these could be read.  *write_error is 0, EFAULT if a value can't be written (those before it
 * are), EAGAIN if there is no worker thread for it now, or another errno.
 */
int
mem_write_16_and_read(struct proc *proc, const struct mem_16 *what, size_t n, int *write_error,
                      uint64_t addr, void *buf, size_t len)
{
	struct memjob *job = memjob_for(proc, carry_out);

	*write_error = errno == ETIMEDOUT ? EAGAIN : errno;
	if (job == NULL)
		return -1;
	for (size_t i = 0; i < n; i++)
		to_write(job, what[i].addr, &what[i].value, sizeof(what[i].value));
	to_read(job, addr, len);
	if (run(proc, job) < 0) {
		*write_error = errno;
		return -1;
	}
	*write_error = job->write_error;
	if (result(job->read_error) < 0)
		return -1;
	if (len != 0)
		memcpy(buf, job->in, len);
	return 0;
}

/* Walks the stack of a thread that is stopped. */
int
mem_stack(struct proc *proc, struct space *space, const struct unwind_regs *regs,
          struct walked *walked)
{
	struct memjob *job = memjob_for(proc, walk_stack);

	if (job == NULL)
		return -1;
	job->space = space_share(space);
	job->regs = *regs;
	if (run(proc, job) < 0)
		return -1;
	walked->stack = job->stack;
	walked->lost_at = job->lost_at;
	walked->changed = job->changed;
	walked->raw = &job->raw;
	return 0;
}

/* Takes what a job has found. */
static int
take_maps(struct memjob *job, struct code_maps *maps)
{
	*maps = job->maps;
	maps->cpu = memjob_cpu(job);
	job->maps = (struct code_maps){ 0 };
	return result(job->read_error);
}

/* Reads what code is mapped.  The caller frees it, also after an error.  ETIMEDOUT: it goes on, and
 * the next call asks again; copies can be made meanwhile. */
int
mem_maps(struct proc *proc, struct code_maps *maps)
{
	struct memjob *job = proc->vm.mapping;
	int ret;

	if (job == NULL) {
		errno = proc->vm.error;
		if (proc->vm.memory == NULL || (job = new_job(proc, read_maps)) == NULL)
			return -1;
		if (memjob_run(job) == 0)
			return take_maps(job, maps);
		proc->vm.mapping = job;
	}
	if (!memjob_is_done(job)) {
		errno = ETIMEDOUT;
		return -1;
	}
	ret = take_maps(job, maps);
	memjob_forget(job);
	proc->vm.mapping = NULL;
	return ret;
}

/* Returns 0 if the target itself may access the whole range so, else -1 with EFAULT. */
int
mem_check(struct proc *proc, uint64_t addr, uint64_t len, unsigned access)
{
	const struct memjob *late = same_as_late(proc, look_up, addr, len);
	struct memjob *job;

	if (late != NULL && late->access == access) {
		const int error = late->read_error;

		memjob_forget(proc->vm.late);
		proc->vm.late = NULL;
		return result(error);
	}
	job = memjob_for(proc, look_up);
	if (job == NULL)
		return -1;
	job->from = addr;
	job->area = len;
	job->access = access;
	return run(proc, job) < 0 ? -1 : result(job->read_error);
}

static uint64_t
timeout_of(int fd, int option)
{
	struct timeval tv = { 0 };
	socklen_t len = sizeof(tv);

	if (getsockopt(fd, SOL_SOCKET, option, &tv, &len) < 0)
		return 0;
	return (uint64_t)tv.tv_sec * NSEC + (uint64_t)tv.tv_usec * 1000;
}

static void
ask_socket(struct memjob *job)
{
	struct socket_facts *facts = (struct socket_facts *)job->in;
	const int copy = fds_copy_of((pid_t)job->from, (int)job->area);
	socklen_t len = sizeof(facts->type);

	job->read_error = 0;
	if (copy < 0 || getsockopt(copy, SOL_SOCKET, SO_TYPE, &facts->type, &len) < 0) {
		job->read_error = errno;
	} else {
		facts->send = timeout_of(copy, SO_SNDTIMEO);
		facts->receive = timeout_of(copy, SO_RCVTIMEO);
	}
	if (copy >= 0)
		close(copy); /* takes long if the program has closed its own by now */
}

/* Gets type and time-outs of a process's socket; -1: they are not known.  It does not need the
 * process's memory, so it does not matter whether a copy is late. */
int
mem_socket(struct proc *proc, int fd, struct socket_facts *facts)
{
	struct memjob *job = new_job(proc, ask_socket);

	if (job == NULL)
		return -1;
	job->wait = WAIT_LONG_NS;
	job->from = (uint64_t)proc->pid;
	job->area = (uint64_t)fd;
	if (memjob_run(job) < 0) {
		memjob_forget(job);
		errno = ETIMEDOUT;
		return -1;
	}
	if (result(job->read_error) < 0)
		return -1;
	memcpy(facts, job->in, sizeof(*facts));
	return 0;
}

/* Called while the process is stopped, or if it is found to be still ours afterwards. */
int
mem_open(struct proc *proc, pid_t tid)
{
	static uint64_t numbers;

	mem_close(proc);
	proc->vm.number = ++numbers;
	proc->vm.memory = memory_open(tid);
	proc->vm.error = errno;
	return proc->vm.memory == NULL ? -1 : 0;
}

void
mem_close(struct proc *proc)
{
	memjob_forget(proc->vm.late);
	memjob_forget(proc->vm.reading);
	memjob_forget(proc->vm.mapping);
	memory_drop(proc->vm.memory);
	proc->vm.late = proc->vm.reading = proc->vm.mapping = NULL;
	proc->vm.memory = NULL;
	proc->vm.error = ESRCH;
}
