/*
 * Copies out of and into target memory.  process_vm_readv and process_vm_writev respect the
 * target's page protection, as a kernel's copyin and copyout do; /proc/PID/mem would not.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <errno.h>
#include <string.h>

/* What one process may cost us: so often its memory may be late. */
enum { MOST_LATE = 4 };

/* While an errand waits for a process's memory, nobody else is sent there. */
static struct errand *
errand_for(struct proc *proc, pid_t tid)
{
	struct errand *e;

	if (proc->gone != 0 && (proc->late >= MOST_LATE || !errand_is_back(proc->gone))) {
		errno = ETIMEDOUT;
		return NULL;
	}
	proc->gone = 0;
	e = errand_new();
	if (e != NULL) {
		e->tid = tid;
		e->pieces = e->out_len = e->from.iov_len = 0;
	}
	return e;
}

static int
run(struct proc *proc)
{
	proc->gone = errand_run();
	if (proc->gone == 0)
		return 0;
	proc->late++;
	errno = ETIMEDOUT;
	return -1;
}

static int
check(ssize_t n, size_t len, int error)
{
	if (n == (ssize_t)len)
		return 0;
	errno = n < 0 ? error : EFAULT;
	return -1;
}

static void
to_read(struct errand *e, uint64_t addr, size_t len)
{
	e->from = (struct iovec){ (void *)(uintptr_t)addr, len };
}

static void
to_write(struct errand *e, uint64_t addr, const void *data, size_t len)
{
	memcpy(e->out + e->out_len, data, len);
	e->out_len += len;
	e->to[e->pieces++] = (struct iovec){ (void *)(uintptr_t)addr, len };
}

/* All of it or EFAULT.  `tid` is a thread that has the memory. */
int
mem_read(struct proc *proc, pid_t tid, uint64_t addr, void *buf, size_t len)
{
	for (size_t done = 0; done < len;) {
		const size_t n = len - done < ERRAND_BYTES ? len - done : ERRAND_BYTES;
		struct errand *e = errand_for(proc, tid);

		if (e == NULL)
			return -1;
		to_read(e, addr + done, n);
		if (run(proc) < 0 || check(e->read, n, e->read_error) < 0)
			return -1;
		memcpy((uint8_t *)buf + done, e->in, n);
		done += n;
	}
	return 0;
}

/* A few bytes. */
int
mem_write(struct proc *proc, pid_t tid, uint64_t addr, const void *data, size_t len)
{
	struct errand *e = errand_for(proc, tid);

	if (e == NULL)
		return -1;
	to_write(e, addr, data, len);
	if (run(proc) < 0)
		return -1;
	return check(e->written, len, e->write_error);
}

/*
 * Each value to its own address, and then, if `len` is not 0, a few bytes read: in one errand.
 * Returns 0 if these could be read.  *write_error is EFAULT if a value can't be written (those
 * before it are), or what else was in the way, or 0.
 */
int
mem_write_16_and_read(struct proc *proc, pid_t tid, const struct mem_16 *what, size_t n,
                      int *write_error, uint64_t addr, void *buf, size_t len)
{
	struct errand *e = errand_for(proc, tid);

	*write_error = errno;
	if (e == NULL)
		return -1;
	for (size_t i = 0; i < n; i++)
		to_write(e, what[i].addr, &what[i].value, sizeof(what[i].value));
	to_read(e, addr, len);
	if (run(proc) < 0) {
		*write_error = errno;
		return -1;
	}
	*write_error = check(e->written, e->out_len, e->write_error) < 0 ? errno : 0;
	if (check(e->read, len, e->read_error) < 0)
		return -1;
	if (len != 0)
		memcpy(buf, e->in, len);
	return 0;
}
