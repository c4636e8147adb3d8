/*
 * The bins in the target's own memory, 16 bits as the contract says: a copy of the supervisor's
 * wide counts, written a handful at a time.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup.h"

#include <errno.h>

enum { BATCH = 32 };

static struct {
	struct proc *proc;
	pid_t tid; /* has the memory */
	size_t n;
	uint64_t addr[BATCH];
	uint16_t value[BATCH];
} batch;

/* A bin that is not there to be written turns profiling off for its process.  Prints. */
void
bins_flush(void)
{
	struct proc *proc = batch.proc;
	const size_t n = batch.n;

	batch.n = 0;
	if (n == 0 || mem_write_16(batch.tid, batch.addr, batch.value, n) == 0 || errno != EFAULT)
		return;
	proc->profile->off = true;
	log_notice("%d: a bin can't be written (%m): profiling is off", proc->pid);
}

/* To be followed by bins_flush() before anything happens to the process. */
void
bins_put(struct proc *proc, pid_t tid, uint64_t index, uint16_t value)
{
	const uint64_t bins = proc->profile->buf_addr + sizeof(struct profsup_header);

	/* The bins of a shared memory are those of the process that it belongs to. */
	if (proc->shares_memory)
		return;
	if (batch.n == BATCH || proc != batch.proc)
		bins_flush();
	batch.proc = proc;
	batch.tid = tid;
	batch.addr[batch.n] = bins + index * sizeof(value);
	batch.value[batch.n++] = value;
}
