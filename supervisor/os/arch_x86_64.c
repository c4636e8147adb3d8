/*
 * x86-64.
 *
 * SPDX-License-Identifier: ISC
 */
#ifdef __x86_64__
#include "os/arch.h"

#include <elf.h>
#include <errno.h>
#include <linux/audit.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>

const unsigned arch_elf_machine = EM_X86_64;
const bool arch_stops_cut_calls = false;
const uint32_t arch_audit = AUDIT_ARCH_X86_64;
const uint64_t arch_perf_regs = 1 << 1 | 1 << 6 | 1 << 7 | 1 << 8; /* bx, bp, sp, ip */
const struct arch_frames arch_frames = {
	.fp = 6,
	.sp = 7,
	.ra = 16,
	.base = 3, /* rbx: of the dynamic linker's _dl_runtime_resolve */
	.pushed = 8,
	.signal = { .offset = 40, .fp = 80, .base = 88, .sp = 120, .pc = 128 },
};

int
arch_get_regs(pid_t tid, struct arch_regs *regs)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, tid, 0L, &r) < 0)
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
arch_set_result(pid_t tid, int64_t result)
{
	return (int)ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rax), result);
}

int
arch_set_number(pid_t tid, long nr)
{
	return (int)ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, orig_rax), nr);
}
/* Length of the syscall instruction; selector of a 64-bit program's code segment. */
enum { SYSCALL_BYTES = 2, CS_64 = 0x33 };

/* Only the syscall instruction leaves its return address in rcx; int 0x80, which has other call
 * numbers, does not. */
int
arch_made(pid_t tid, struct made_call *made)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, tid, 0L, &r) < 0)
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

static void
set_call(struct user_regs_struct *r, const struct made_call *call)
{
	r->rdi = call->args[0];
	r->rsi = call->args[1];
	r->rdx = call->args[2];
	r->r10 = call->args[3];
	r->r8 = call->args[4];
	r->r9 = call->args[5];
}

int
arch_make_call(pid_t tid, const struct made_call *call)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, tid, 0L, &r) < 0)
		return -1;
	set_call(&r, call);
	r.rip = call->pc - SYSCALL_BYTES;
	r.rax = (uint64_t)call->nr;
	r.orig_rax = UINT64_MAX; /* in no call, so the kernel restarts none */
	return (int)ptrace(PTRACE_SETREGS, tid, 0L, &r);
}

int
arch_end_call(pid_t tid, const struct made_call *call, int64_t result)
{
	struct user_regs_struct r;

	if (ptrace(PTRACE_GETREGS, tid, 0L, &r) < 0)
		return -1;
	set_call(&r, call);
	r.rip = r.rcx = call->pc;
	r.rax = (uint64_t)result;
	r.orig_rax = UINT64_MAX; /* in no call, so our next stop cuts none short */
	return (int)ptrace(PTRACE_SETREGS, tid, 0L, &r);
}

/* A call by a pointer: the length of the instruction that begins with ff, by its next two bytes. */
static unsigned
indirect_call(const uint8_t *code, size_t len)
{
	const unsigned mod = code[1] >> 6, rm = code[1] & 7;
	const bool sib = mod != 3 && rm == 4;
	unsigned bytes = 2 + sib;

	if ((code[1] >> 3 & 7) != 2)
		return 0;
	if (mod == 1)
		bytes += 1;
	else if (mod == 2 || (mod == 0 && (rm == 5 || (sib && len > 2 && (code[2] & 7) == 5))))
		bytes += 4;
	return bytes <= len ? bytes : 0;
}

unsigned
arch_call_at(const uint8_t *code, size_t len, int32_t *distance)
{
	enum { CALL = 0xe8, BY_POINTER = 0xff };

	*distance = 0;
	if (len >= 5 && code[0] == CALL) {
		memcpy(distance, code + 1, sizeof(*distance));
		return *distance == 0 ? 0 : 5;
	}
	return len >= 2 && code[0] == BY_POINTER ? indirect_call(code, len) : 0;
}

/* mov %rbp,N(%rsp); lea N(%rsp),%rbp, as Go has it up to 1.20, whose frame is larger by then. */
static unsigned
go_frame_made_at(const uint8_t *code, size_t len)
{
	static const uint8_t near[] = { 0x48, 0x89, 0x6c, 0x24 },
			     far[] = { 0x48, 0x89, 0xac, 0x24 };
	const size_t number = len >= sizeof(far) && memcmp(code, far, sizeof(far)) == 0 ? 4 : 1;
	const size_t one = sizeof(near) + number;
	const uint8_t lea = 0x8d;

	if (len < 2 * one || (number == 1 && memcmp(code, near, sizeof(near)) != 0) ||
	    code[one + 1] != lea || code[one] != code[0] ||
	    memcmp(code + 2, code + one + 2, one - 2) != 0)
		return 0;
	return (unsigned)(2 * one);
}

/* push %rbp; mov %rsp,%rbp, in either way to write that. */
unsigned
arch_frame_made_at(const uint8_t *code, size_t len)
{
	static const uint8_t store[] = { 0x55, 0x48, 0x89, 0xe5 };
	static const uint8_t load[] = { 0x55, 0x48, 0x8b, 0xec };

	if (len < sizeof(store) ||
	    (memcmp(code, store, sizeof(store)) != 0 && memcmp(code, load, sizeof(load)) != 0))
		return go_frame_made_at(code, len);
	return sizeof(store);
}

/* The number of rt_sigreturn in eax, in either way to write that, and syscall. */
bool
arch_sigreturn_at(const uint8_t *code, size_t len)
{
	static const uint8_t shorter[] = { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 };
	static const uint8_t longer[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };

	return (len >= sizeof(shorter) && memcmp(code, shorter, sizeof(shorter)) == 0) ||
	       (len >= sizeof(longer) && memcmp(code, longer, sizeof(longer)) == 0);
}
#else
typedef int arch_x86_64_is_empty;
#endif
