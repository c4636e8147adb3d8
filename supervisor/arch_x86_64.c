/*
 * x86-64.
 *
 * SPDX-License-Identifier: ISC
 */
#ifdef __x86_64__
#include "arch.h"

#include <elf.h>
#include <linux/audit.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

const unsigned arch_elf_machine = EM_X86_64;
const uint32_t arch_audit = AUDIT_ARCH_X86_64;
const unsigned arch_perf_pc = 8;

int
arch_get_regs(pid_t tid, struct arch_regs *regs)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, tid, 0L, &r) < 0)
		return -1;
	regs->pc = r.rip;
	regs->result = r.rax;
	regs->thread_pointer = r.fs_base;
	regs->syscall = (long)r.orig_rax;
	return 0;
}

int
arch_set_result(pid_t tid, int64_t result)
{
	return (int)ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rax), result);
}

int
arch_set_number(pid_t tid, long nr)
{
	return (int)ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, orig_rax), nr);
}
#else
typedef int arch_x86_64_is_empty;
#endif
