/*
 * What targets share that register a buffer of their own choice before the runtime can: its state
 * says what they make it say.  Their functions are not counted once the state's mode is on.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef FORGED_H
#define FORGED_H

#include "../clock.h"
#include "hostile.h"

/* The text is what a bin or an arc may be of: all that is below 4 GiB. */
static inline void
forged_text(void)
{
	__profsup_state.low_pc = 0x400000;
	__profsup_state.high_pc = 0xf0000000;
}

/* Each `bin` of two bytes of text, from `offset` on; no directory of its own. */
static inline long
forged_profil(uint64_t buf, uint64_t buflen, uint64_t samplesize, uint64_t offset)
{
	return syscall(PROFSUP_NR_PROFIL, buf, buflen, samplesize, offset, PROFSUP_SCALE_ONE, -1L);
}

#endif
