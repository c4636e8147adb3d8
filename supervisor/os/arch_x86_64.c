/*
 * x86-64.
 *
 * SPDX-License-Identifier: ISC
 */
#ifdef __x86_64__
#include "os/arch.h"

#include <elf.h>
#include <linux/audit.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>

const unsigned arch_elf_machine = EM_X86_64;
const bool arch_stops_cut_calls = false;
const uint32_t arch_audit = AUDIT_ARCH_X86_64;
const uint64_t arch_perf_regs = 1 << 1 | 1 << 6 | 1 << 7 | 1 << 8; /* bx, bp, sp, ip */

int
trace_regs(pid_t tid, struct arch_regs *regs)
{
	struct user_regs_struct r;

	if (INSIST(ptrace(PTRACE_GETREGS, tid, 0L, &r)) < 0)
		return -1;
	regs->pc = r.rip;
	regs->sp = r.rsp;
	regs->fp = r.rbp;
	regs->base = r.rbx;
	regs->link = 0;
	regs->result = r.rax;
	regs->thread_pointer = r.fs_base;
	regs->syscall = (long)r.orig_rax;
	return 0;
}

void
arch_perf_take(const uint64_t reg[ARCH_PERF_REGS], struct arch_regs *regs)
{
	regs->base = reg[0];
	regs->fp = reg[1];
	regs->sp = reg[2];
	regs->pc = reg[3];
	regs->link = 0;
}

int
trace_set_result(pid_t tid, int64_t result)
{
	return INSIST(ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rax), result));
}

int
trace_set_number(pid_t tid, long nr)
{
	return INSIST(
	    ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, orig_rax), nr));
}
/* Length of the syscall instruction; selector of a 64-bit program's code segment. */
enum { SYSCALL_BYTES = 2, CS_64 = 0x33 };

/* Only the syscall instruction leaves its return address in rcx; int 0x80, which has other call
 * numbers, does not. */
int
trace_made(pid_t tid, struct made_call *made)
{
	struct user_regs_struct r;

	if (INSIST(ptrace(PTRACE_GETREGS, tid, 0L, &r)) < 0)
		return -1;
	if (r.cs != CS_64 || r.rcx != r.rip || (int64_t)r.orig_rax < 0) {
		errno = ENOSYS;
		return -1;
	}
	*made = (struct made_call){
		.pc = r.rip,
		.nr = (long)r.orig_rax,
		.args = { r.rdi, r.rsi, r.rdx, r.r10, r.r8, r.r9 },
		.result = (int64_t)r.rax,
	};
	return 0;
}

/* Has the thread go on there with what is in registers at a call, in none, so that the kernel
 * restarts none and our next stop cuts none short. */
static int
go_on(pid_t tid, const struct made_call *call, uint64_t pc, uint64_t rax)
{
	struct user_regs_struct r;

	if (INSIST(ptrace(PTRACE_GETREGS, tid, 0L, &r)) < 0)
		return -1;
	r.rdi = call->args[0];
	r.rsi = call->args[1];
	r.rdx = call->args[2];
	r.r10 = call->args[3];
	r.r8 = call->args[4];
	r.r9 = call->args[5];
	r.rcx = call->pc;
	r.rip = pc;
	r.rax = rax;
	r.orig_rax = UINT64_MAX;
	return INSIST(ptrace(PTRACE_SETREGS, tid, 0L, &r));
}

int
trace_make_call(pid_t tid, const struct made_call *call)
{
	return go_on(tid, call, call->pc - SYSCALL_BYTES, (uint64_t)call->nr);
}

int
trace_end_call(pid_t tid, const struct made_call *call, int64_t result)
{
	return go_on(tid, call, call->pc, (uint64_t)result);
}
#else
typedef int arch_x86_64_is_empty;
#endif
