/*
 * What the supervisor must know of a machine.  Each arch_<machine>.c is complete by itself, and
 * empty on other machines; only ptrace.c, perfring.c and code/coderead.c call its functions.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_ARCH_H
#define PROFSUP_ARCH_H

#include "os/os.h"

/* Reads pc, system call result, and the number of the call that it stopped in. */
int arch_get_regs(pid_t tid, struct arch_regs *regs);
int arch_set_result(pid_t tid, int64_t result);
int arch_set_number(pid_t tid, long nr);

/* The system call that a thread has just made: read it, make another one in its place, or end it
 * with a result.  Where the registers do not tell of it, -1 with ENOSYS. */
int arch_made(pid_t tid, struct made_call *made);
int arch_make_call(pid_t tid, const struct made_call *call);
int arch_end_call(pid_t tid, const struct made_call *call, int64_t result);

/* perf's mask of the user registers that we ask it for, and what they are. */
enum { ARCH_PERF_REGS = 4 };
extern const uint64_t arch_perf_regs;
void arch_perf_take(const uint64_t reg[ARCH_PERF_REGS], struct arch_regs *regs);

/* What a walk of call stacks must know: DWARF's numbers of registers, how many bytes of return
 * address a call pushes, and where the kernel leaves what a signal has interrupted. */
struct arch_frames {
	unsigned fp, sp, ra;
	unsigned base; /* another register that frames are found by; 0: there is none */
	int pushed;
	struct {
		uint64_t offset;     /* of the registers, from the sp of the handler's return */
		uint64_t pc, sp, fp; /* offsets among the registers */
		uint64_t link, base; /* the same; 0: there is none */
	} signal;
};
extern const struct arch_frames arch_frames;

/* Whether code is a call: its length, or 0.  *distance: from the next instruction to the function
 * that is called; 0: it is called by a pointer.  Where calls push no return address, none is found,
 * since nobody looks for one. */
unsigned arch_call_at(const uint8_t *code, size_t len, int32_t *distance);
/* Whether code is where a function makes a frame pointer of the usual kind, with the caller's and
 * the return address above it: its length, or 0.  None is looked for where any code is taken to do
 * so. */
unsigned arch_frame_made_at(const uint8_t *code, size_t len);
/* Whether code is the one that a signal handler returns to. */
bool arch_sigreturn_at(const uint8_t *code, size_t len);

/* audit.h's number of the native kind of system call. */
extern const uint32_t arch_audit;

/* elf.h's EM_ number of programs that we can profile. */
extern const unsigned arch_elf_machine;

/* Whether a stop makes calls fail with EINTR, or return a part, since the registers do not tell
 * which call it has met. */
extern const bool arch_stops_cut_calls;

#endif
