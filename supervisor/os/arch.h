/*
 * What the supervisor must know of a machine.  Each arch_<machine>.c is complete by itself, and
 * empty on other machines; the functions that trace are in ptrace.h.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_ARCH_H
#define PROFSUP_ARCH_H

#include "os/os.h"

#include <errno.h>

/*
 * A request that fails although the tracee is there, stopped, would leave it stopped for good, so
 * it is repeated.  Not after ESRCH: the tracee was killed and is on its way to its exit stop, from
 * which the next try would release it unseen.
 */
#define INSIST(request)                                                                            \
	({                                                                                         \
		int ret_ = -1;                                                                     \
		errno = 0;                                                                         \
		for (int try_ = 0; ret_ < 0 && errno != ESRCH && try_ < 3; try_++)                 \
			ret_ = (int)(request);                                                     \
		ret_;                                                                              \
	})

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
