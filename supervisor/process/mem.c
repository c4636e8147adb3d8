/*
 * Copies out of and into target memory, bounded in size and in the time that we wait for them.
 *
 * A copy that is late goes on without us.  Until it is done, each call for that process fails with
 * ETIMEDOUT.  A caller that needs the result makes the same call again later.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* How long a job is waited for whose thread only waits for a CPU; and one without which a system
 * call of the program's would stay cut short, or a thread that is to start for such a one. */
#define WAIT_NS      (NSEC / 100)
#define WAIT_LONG_NS (NSEC / 5)

/* Runs in the worker thread. */
static void
carry_out(struct memjob *job)
{
	const uint8_t *data = job->out;

	job->write_error = 0;
	for (size_t i = 0; i < job->pieces && job->write_error == 0; i++) {
		turn_give_way();
		if (memory_write(job->memory, job->to[i].addr, data, job->to[i].len, i > 0) < 0)
			job->write_error = errno;
		data += job->to[i].len;
	}
	job->error = job->write_error;
	if (job->len != 0)
		job->error = memory_read(job->memory, job->from, job->in, job->len) < 0 ? errno : 0;
}

static void
look_up(struct memjob *job)
{
	job->error = memory_check(job->memory, job->from, job->len, job->access) < 0 ? errno : 0;
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
		if (pages->reads++ >= pages->most ||
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
	struct walked *w = &job->walked;
	uint64_t at = job->regs.sp;

	w->data = job->raw;
	while (w->len < sizeof(job->raw)) {
		size_t n = 4096 - at % 4096;

		if (n > sizeof(job->raw) - w->len)
			n = sizeof(job->raw) - w->len;
		if (memory_read(job->memory, at, job->raw + w->len, n) < 0)
			break;
		w->len += n;
		at += n;
	}
}

static bool
has_changed(const struct memjob *job, uint32_t object)
{
	const struct space *s = job->space;

	for (size_t i = 0; i < s->n; i++) {
		if (s->code[i].object != object || s->code[i].file.ino == 0)
			continue;
		turn_give_way();
		if (!memory_has(job->memory, s->code[i].low, &s->code[i].file))
			return true;
	}
	return false;
}

/* Whether a stack leads through that object before its frame `n`. */
static bool
has_object(const struct stack *stack, size_t n, uint32_t object)
{
	while (n > 0 && frame_object(stack->frame[n - 1]) != object)
		n--;
	return n > 0;
}

/* Whether other files may be mapped by now where the stack leads through. */
static bool
is_stale(const struct memjob *job)
{
	const struct stack *stack = &job->walked.stack;

	for (size_t i = 0; i < stack->n; i++) {
		const uint32_t object = frame_object(stack->frame[i]);

		if (object >= OBJECTS_OF_RUN && !has_object(stack, i, object) &&
		    has_changed(job, object))
			return true;
	}
	return false;
}

static void
walk_stack(struct memjob *job)
{
	const struct unwind u = { job->space->code, job->space->n, job->regs };
	struct pages pages = { .memory = job->memory };
	struct walked *w = &job->walked;

	pages.page[0].addr = pages.page[1].addr = 1;
	pages.most = job->regs.blind ? BLIND_PAGES : STACK_PAGES;

	w->lost_at = unwind_walk(&u, read_word, &pages, &w->stack);
	w->changed = is_stale(job);
	w->len = 0;
	if (w->stack.waits || w->lost_at != 0)
		copy_stack(job);
	job->error = 0;
}

static void
read_maps(struct memjob *job)
{
	maps_free(&job->maps);
	job->error = memory_maps(job->memory, &job->maps) < 0 ? errno : 0;
}

/* The program may change the count between our read and write, as it may if a kernel counts. */
static void
count_up(struct memjob *job)
{
	uint32_t count = 0;

	job->error = memory_read(job->memory, job->from, &count, job->len) < 0 ? errno : 0;
	if (job->error != 0)
		return;
	count =
	    dialect_count(job->add.call, (unsigned)job->len, count, job->add.ticks, &job->add.full);
	if (memory_write(job->memory, job->from, &count, job->len, false) < 0)
		job->error = errno;
}

/* Returns a job to be filled in.  NULL with errno: there is no memory, or no worker thread; one
 * that is new may take so long to start, ns. */
struct memjob *
mem_job(struct proc *proc, memjob_work *work, uint64_t start)
{
	struct memjob *job = NULL;

	errno = proc->vm.error;
	if (proc->vm.memory != NULL)
		job = memjob_new(proc->vm.memory, start);
	if (job == NULL)
		return NULL;
	job->work = work;
	job->wait = WAIT_NS;
	job->pieces = job->out_len = job->len = 0;
	return job;
}

/* The same, but while a copy is late there is none, with ETIMEDOUT. */
static struct memjob *
copy_job(struct proc *proc, memjob_work *work, uint64_t start)
{
	if (proc->vm.late != NULL && !memjob_is_done(proc->vm.late)) {
		errno = ETIMEDOUT;
		return NULL;
	}
	memjob_forget(&proc->vm.late);
	return mem_job(proc, work, start);
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

/* Does what only looks at the memory.  If that was late and is done, its result is taken: a new job
 * might be late each time. */
static struct memjob *
look_at(struct proc *proc, memjob_work *work, uint64_t addr, uint64_t len, unsigned access)
{
	struct memjob *job = proc->vm.late;

	if (job != NULL && job->work == work && job->pieces == 0 && job->from == addr &&
	    job->len == len && job->access == access)
		return memjob_take(&proc->vm.late, &job) < 0 ? NULL : job;
	job = copy_job(proc, work, WAIT_LONG_NS);
	if (job == NULL)
		return NULL;
	to_read(job, addr, len);
	job->access = access;
	return memjob_run(job, &proc->vm.late) < 0 ? NULL : job;
}

/* Reads all of it, or fails with EFAULT. */
int
mem_read(struct proc *proc, uint64_t addr, void *buf, size_t len)
{
	for (size_t done = 0, n; done < len; done += n) {
		const struct memjob *job;

		n = len - done < MEMJOB_BYTES ? len - done : MEMJOB_BYTES;
		job = look_at(proc, carry_out, addr + done, n, 0);
		if (job == NULL)
			return -1;
		memcpy((uint8_t *)buf + done, job->in, n);
	}
	return 0;
}

/* Writes a few bytes.  EFAULT: they can't be written. */
int
mem_write(struct proc *proc, uint64_t addr, const void *data, size_t len)
{
	struct memjob *job = copy_job(proc, carry_out, WAIT_LONG_NS);

	if (job == NULL)
		return -1;
	to_write(job, addr, data, len);
	return memjob_run(job, &proc->vm.late);
}

/* Adds to a bin in the program's memory.  *full: the bin takes no more.  EFAULT: it can't be
 * written. */
int
mem_count(struct proc *proc, const struct dialect *d, uint64_t bin, uint64_t ticks, bool *full)
{
	struct memjob *job = copy_job(proc, count_up, 0);

	*full = false;
	if (job == NULL)
		return -1;
	to_read(job, bin, d->width);
	job->add = (struct dialect_ticks){ .call = d->call, .ticks = ticks };
	if (memjob_run(job, &proc->vm.late) < 0)
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
	struct memjob *job = copy_job(proc, carry_out, 0);
	int ret;

	*write_error = errno == ETIMEDOUT ? EAGAIN : errno;
	if (job == NULL)
		return -1;
	for (size_t i = 0; i < n; i++)
		to_write(job, what[i].addr, &what[i].value, sizeof(what[i].value));
	to_read(job, addr, len);
	ret = memjob_run(job, &proc->vm.late);
	*write_error = job == proc->vm.late ? ETIMEDOUT : job->write_error;
	if (ret == 0 && len != 0)
		memcpy(buf, job->in, len);
	return ret;
}

/* Walks the stack of a thread that is stopped. */
int
mem_stack(struct proc *proc, struct space *space, const struct unwind_regs *regs,
          struct walked *walked)
{
	struct memjob *job = copy_job(proc, walk_stack, WAIT_NS);

	if (job == NULL)
		return -1;
	job->space = space_share(space);
	job->regs = *regs;
	if (memjob_run(job, &proc->vm.late) < 0)
		return -1;
	*walked = job->walked;
	return 0;
}

/* Reads what code is mapped.  The caller frees it.  ETIMEDOUT: it goes on, and the next call asks
 * again; copies can be made meanwhile. */
int
mem_maps(struct proc *proc, struct code_maps *maps)
{
	struct memjob *job;
	int ret;

	if (proc->vm.mapping != NULL)
		ret = memjob_take(&proc->vm.mapping, &job);
	else if ((job = mem_job(proc, read_maps, 0)) == NULL)
		return -1;
	else
		ret = memjob_run(job, &proc->vm.mapping);
	if (proc->vm.mapping != NULL)
		return -1;
	*maps = job->maps;
	maps->cpu = job->cpu;
	job->maps = (struct code_maps){ 0 };
	return ret;
}

/* Returns 0 if the target itself may access the whole range so, else -1 with EFAULT. */
int
mem_check(struct proc *proc, uint64_t addr, uint64_t len, unsigned access)
{
	return look_at(proc, look_up, addr, len, access) == NULL ? -1 : 0;
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

static int
option_of(int fd, int option)
{
	socklen_t len = sizeof(int);
	int value = 0;

	return getsockopt(fd, SOL_SOCKET, option, &value, &len) < 0 ? -1 : value;
}

static void
ask_socket(struct memjob *job)
{
	struct socket_facts *facts = &job->facts;
	const int copy = fds_copy_of(job->pid, job->fd);
	int mark = 0;

	job->error = 0;
	facts->type = copy < 0 ? -1 : option_of(copy, SO_TYPE);
	if (facts->type < 0) {
		job->error = errno;
	} else {
		facts->domain = option_of(copy, SO_DOMAIN);
		facts->apart = option_of(copy, SO_PASSCRED) > 0 ||
		               (ioctl(copy, SIOCATMARK, &mark) == 0 && mark != 0);
		facts->send = timeout_of(copy, SO_SNDTIMEO);
		facts->receive = timeout_of(copy, SO_RCVTIMEO);
	}
	fds_close(copy); /* takes long if the program has closed its own by now */
}

/* Gets type and time-outs of a process's socket; -1: they are not known.  It does not need the
 * process's memory, so it does not matter whether a copy is late. */
int
mem_socket(struct proc *proc, int fd, struct socket_facts *facts)
{
	struct memjob *job = memjob_new(NULL, WAIT_LONG_NS), *late = NULL;
	int ret;

	if (job == NULL)
		return -1;
	job->work = ask_socket;
	job->wait = WAIT_LONG_NS;
	job->pid = proc->pid;
	job->fd = fd;
	ret = memjob_run(job, &late);
	memjob_forget(&late);
	if (ret == 0)
		*facts = job->facts;
	return ret;
}

static void
read_wait(struct memjob *job)
{
	job->error = procfs_thread_wait(job->fd, &job->call) < 0 ? errno : 0;
	close(job->fd);
}

/* Reads what a thread waits in, from a file that it closes.  An exec that the program keeps from
 * its end keeps that from us, too.  EAGAIN: it runs. */
int
mem_wait(struct proc *proc, int fd, struct thread_wait *wait)
{
	struct memjob *job = copy_job(proc, read_wait, 0);

	if (job == NULL) {
		close(fd);
		return -1;
	}
	job->fd = fd;
	if (memjob_run(job, &proc->vm.late) < 0)
		return -1;
	*wait = job->call;
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
	memjob_forget(&proc->vm.late);
	memjob_forget(&proc->vm.reading);
	memjob_forget(&proc->vm.mapping);
	memory_drop(proc->vm.memory);
	proc->vm.memory = NULL;
	proc->vm.error = ESRCH;
}
