/*
 * What the supervisor must know of a machine.  Each arch_<machine>.c is complete by itself, and
 * empty on other machines; only ptrace.c and perfring.c call its functions.
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

/* audit.h's number of the native kind of system call. */
extern const uint32_t arch_audit;

/* elf.h's EM_ number of programs that we can profile. */
extern const unsigned arch_elf_machine;

/* Whether a stop makes calls fail with EINTR, or return a part, since the registers do not tell
 * which call it has met. */
extern const bool arch_stops_cut_calls;

#endif
