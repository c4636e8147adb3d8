/*
 * 64-bit Arm.
 *
 * SPDX-License-Identifier: ISC
 */
#ifdef __aarch64__
#include "os/arch.h"

#include <elf.h>
#include <linux/audit.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

const unsigned arch_elf_machine = EM_AARCH64;
const bool arch_stops_cut_calls = true;
const uint32_t arch_audit = AUDIT_ARCH_AARCH64;
const uint64_t arch_perf_regs = 15UL << 29; /* x29, lr, sp, pc */

static int
regset(int request, pid_t tid, long set, void *data, size_t len)
{
	struct iovec iov = { data, len };

	return INSIST(ptrace(request, tid, set, &iov));
}

int
trace_regs(pid_t tid, struct arch_regs *regs)
{
	struct user_regs_struct r;
	uint64_t tp;
	int nr;

	if (regset(PTRACE_GETREGSET, tid, NT_PRSTATUS, &r, sizeof(r)) < 0 ||
	    regset(PTRACE_GETREGSET, tid, NT_ARM_TLS, &tp, sizeof(tp)) < 0 ||
	    regset(PTRACE_GETREGSET, tid, NT_ARM_SYSTEM_CALL, &nr, sizeof(nr)) < 0)
		return -1;
	regs->pc = r.pc;
	regs->sp = r.sp;
	regs->fp = r.regs[29];
	regs->link = r.regs[30];
	regs->base = 0;
	regs->result = r.regs[0];
	regs->thread_pointer = tp;
	regs->syscall = nr;
	return 0;
}

void
arch_perf_take(const uint64_t reg[ARCH_PERF_REGS], struct arch_regs *regs)
{
	regs->fp = reg[0];
	regs->link = reg[1];
	regs->base = 0;
	regs->sp = reg[2];
	regs->pc = reg[3];
}

int
trace_set_result(pid_t tid, int64_t result)
{
	struct user_regs_struct r;

	if (regset(PTRACE_GETREGSET, tid, NT_PRSTATUS, &r, sizeof(r)) < 0)
		return -1;
	r.regs[0] = (uint64_t)result;
	return regset(PTRACE_SETREGSET, tid, NT_PRSTATUS, &r, sizeof(r));
}

int
trace_set_number(pid_t tid, long nr)
{
	int n = (int)nr;

	return regset(PTRACE_SETREGSET, tid, NT_ARM_SYSTEM_CALL, &n, sizeof(n));
}
/* Impossible here: the result has overwritten the first argument, which is kept nowhere else. */
int
trace_made(pid_t tid, struct made_call *made)
{
	(void)tid, (void)made;
	errno = ENOSYS;
	return -1;
}

int
trace_make_call(pid_t tid, const struct made_call *call)
{
	(void)tid, (void)call;
	errno = ENOSYS;
	return -1;
}

int
trace_end_call(pid_t tid, const struct made_call *call, int64_t result)
{
	(void)tid, (void)call, (void)result;
	errno = ENOSYS;
	return -1;
}
#else
typedef int arch_aarch64_is_empty;
#endif
