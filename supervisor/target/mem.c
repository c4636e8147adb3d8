/*
 * Copies out of and into target memory: bounded in size, and in the time that they keep us.
 *
 * One that is late goes on without us, and until it is back the process's memory is not asked
 * again: each call fails with ETIMEDOUT.  A caller that can't do without it makes the same call
 * again later.
 *
 * SPDX-License-Identifier: ISC
 */
#include "target/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* In the thread that does it. */
static void
carry_out(struct errand *e)
{
	const uint8_t *data = e->out;

	e->write_error = e->read_error = 0;
	for (size_t i = 0; i < e->pieces && e->write_error == 0; i++) {
		errand_give_way();
		if (memory_write(e->memory, e->to[i].addr, data, e->to[i].len, i > 0) < 0)
			e->write_error = errno;
		data += e->to[i].len;
	}
	if (e->len != 0 && memory_read(e->memory, e->from, e->in, e->len) < 0)
		e->read_error = errno;
}

static void
look_up(struct errand *e)
{
	e->read_error = memory_check(e->memory, e->from, e->area, e->access) < 0 ? errno : 0;
}

/* The program may change the count meanwhile, as it may in a kernel that counts. */
static void
count_up(struct errand *e)
{
	uint32_t count = 0;

	e->write_error = e->read_error = 0;
	if (memory_read(e->memory, e->from, &count, e->len) < 0) {
		e->read_error = errno;
		return;
	}
	count = dialect_count(e->add.call, (unsigned)e->len, count, e->add.ticks, &e->add.full);
	if (memory_write(e->memory, e->from, &count, e->len, false) < 0)
		e->write_error = errno;
}

/* The process has no memory that we could reach, or it is busy. */
static bool
is_out_of_reach(struct proc *proc)
{
	if (proc->memory == NULL) {
		errno = proc->memory_error;
		return true;
	}
	if (proc->gone != NULL && !errand_is_back(proc->gone)) {
		errno = ETIMEDOUT;
		return true;
	}
	return false;
}

static struct errand *
errand_for(struct proc *proc, void (*work)(struct errand *))
{
	struct errand *e;

	if (is_out_of_reach(proc))
		return NULL;
	errand_forget(proc->gone);
	proc->gone = NULL;
	e = errand_new(proc->memory);
	if (e != NULL) {
		e->work = work;
		e->brief = true;
		e->pieces = e->out_len = e->len = 0;
	}
	return e;
}

static int
run(struct proc *proc, struct errand *e)
{
	if (errand_run(e) == 0)
		return 0;
	proc->gone = e;
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
to_read(struct errand *e, uint64_t addr, size_t len)
{
	e->from = addr;
	e->len = len;
}

static void
to_write(struct errand *e, uint64_t addr, const void *data, size_t len)
{
	memcpy(e->out + e->out_len, data, len);
	e->out_len += len;
	e->to[e->pieces++] = (struct errand_piece){ addr, len };
}

/* The one that was late was the same: it need not be done once more, and may be late each time. */
static const struct errand *
/* cppcheck-suppress constParameter */
same_as_late(const struct proc *proc, errand_work *work, uint64_t addr, uint64_t len)
{
	const struct errand *e = proc->gone;

	if (e == NULL || !errand_is_back(proc->gone) || e->work != work || e->pieces != 0 ||
	    e->from != addr || (work == look_up ? e->area : e->len) != len)
		return NULL;
	return e;
}

/* Reads all of it, ERRAND_BYTES at the most, or fails with EFAULT. */
int
mem_read(struct proc *proc, uint64_t addr, void *buf, size_t len)
{
	const struct errand *late = same_as_late(proc, carry_out, addr, len);
	struct errand *e;

	if (late != NULL && late->read_error == 0) {
		memcpy(buf, late->in, len);
		errand_forget(proc->gone);
		proc->gone = NULL;
		return 0;
	}
	e = errand_for(proc, carry_out);
	if (e == NULL)
		return -1;
	to_read(e, addr, len);
	if (run(proc, e) < 0 || result(e->read_error) < 0)
		return -1;
	memcpy(buf, e->in, len);
	return 0;
}

/* A few bytes.  EFAULT: they can't be written. */
int
mem_write(struct proc *proc, uint64_t addr, const void *data, size_t len)
{
	struct errand *e = errand_for(proc, carry_out);

	if (e == NULL)
		return -1;
	to_write(e, addr, data, len);
	return run(proc, e) < 0 ? -1 : result(e->write_error);
}

/* Adds to a bin of the program's own.  *full: it takes no more.  EFAULT: it can't be written. */
int
mem_count(struct proc *proc, const struct dial *d, uint64_t bin, uint64_t ticks, bool *full)
{
	struct errand *e = errand_for(proc, count_up);

	*full = false;
	if (e == NULL)
		return -1;
	to_read(e, bin, d->width);
	e->add = (struct dial_ticks){ .call = d->call, .ticks = ticks };
	if (run(proc, e) < 0 || result(e->read_error) < 0 || result(e->write_error) < 0)
		return -1;
	*full = e->add.full;
	return 0;
}

/*
 * Each value to its own address, and then, if `len` is not 0, a few bytes read: in one errand.
 * Returns 0 if these could be read.  *write_error is EFAULT if a value can't be written (those
 * before it are), EAGAIN if nobody could be sent now, or what else was in the way, or 0.
 */
int
mem_write_16_and_read(struct proc *proc, const struct mem_16 *what, size_t n, int *write_error,
                      uint64_t addr, void *buf, size_t len)
{
	struct errand *e = errand_for(proc, carry_out);

	*write_error = errno == ETIMEDOUT ? EAGAIN : errno;
	if (e == NULL)
		return -1;
	for (size_t i = 0; i < n; i++)
		to_write(e, what[i].addr, &what[i].value, sizeof(what[i].value));
	to_read(e, addr, len);
	if (run(proc, e) < 0) {
		*write_error = errno;
		return -1;
	}
	*write_error = e->write_error;
	if (result(e->read_error) < 0)
		return -1;
	if (len != 0)
		memcpy(buf, e->in, len);
	return 0;
}

/* 0: the target may use all of it so.  EFAULT: not all. */
int
mem_check(struct proc *proc, uint64_t addr, uint64_t len, unsigned access)
{
	const struct errand *late = same_as_late(proc, look_up, addr, len);
	struct errand *e;

	if (late != NULL && late->access == access) {
		const int error = late->read_error;

		errand_forget(proc->gone);
		proc->gone = NULL;
		return result(error);
	}
	e = errand_for(proc, look_up);
	if (e == NULL)
		return -1;
	e->from = addr;
	e->area = len;
	e->access = access;
	return run(proc, e) < 0 ? -1 : result(e->read_error);
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
ask_socket(struct errand *e)
{
	struct socket_facts *facts = (struct socket_facts *)e->in;
	const int copy = fds_copy_of((pid_t)e->from, (int)e->area);
	socklen_t len = sizeof(facts->type);

	e->read_error = 0;
	if (copy < 0 || getsockopt(copy, SOL_SOCKET, SO_TYPE, &facts->type, &len) < 0) {
		e->read_error = errno;
	} else {
		facts->send = timeout_of(copy, SO_SNDTIMEO);
		facts->receive = timeout_of(copy, SO_RCVTIMEO);
	}
	if (copy >= 0)
		close(copy); /* which may take long, if the program has closed its own by now */
}

/* What a process's socket is like; -1: that is not known. */
int
mem_socket(struct proc *proc, int fd, struct socket_facts *facts)
{
	struct errand *e = errand_for(proc, ask_socket);

	if (e == NULL)
		return -1;
	e->from = (uint64_t)proc->pid;
	e->area = (uint64_t)fd;
	if (run(proc, e) < 0 || result(e->read_error) < 0)
		return -1;
	memcpy(facts, e->in, sizeof(*facts));
	return 0;
}

/* While the process stands still, or when it was found to be ours still afterwards. */
int
mem_open(struct proc *proc, pid_t tid)
{
	mem_close(proc);
	proc->memory = memory_open(tid);
	proc->memory_error = errno;
	return proc->memory == NULL ? -1 : 0;
}

void
mem_close(struct proc *proc)
{
	errand_forget(proc->gone);
	errand_forget(proc->reading);
	memory_drop(proc->memory);
	proc->gone = proc->reading = NULL;
	proc->memory = NULL;
	proc->memory_error = ESRCH;
}
