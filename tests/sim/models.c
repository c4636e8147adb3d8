/*
 * What neither model of the kernel has, this one nor that of tests/orders: memory that processes
 * share, and system calls that a stop cuts short.
 *
 * SPDX-License-Identifier: ISC
 */
#include "trace/trace.h"

bool
__wrap_vmshare_first_stop(struct tracee *t)
{
	(void)t;
	return true;
}

bool
__wrap_vmshare_is_one(pid_t a, pid_t b, bool otherwise)
{
	(void)a;
	(void)b;
	(void)otherwise;
	return false;
}

void
__wrap_continuation_begin(struct profsup *ps, struct tracee *t, const struct arch_regs *regs)
{
	(void)ps;
	(void)t;
	(void)regs;
}

void
__wrap_signal_mend_eintr(struct tracee *t, const struct arch_regs *regs)
{
	(void)t;
	(void)regs;
}

bool
trace_has_changed(pid_t tid)
{
	(void)tid;
	return false;
}

bool
trace_is_fault(pid_t tid)
{
	(void)tid;
	return false;
}
