/*
 * Limits for a process that reads untrusted data.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef CONFINE_H
#define CONFINE_H

#include <stdint.h>

/* What a process gets that reads a target's files for the supervisor: bytes of memory, and seconds
 * of CPU time. */
#define CONFINE_MEMORY (1UL << 30)
enum { CONFINE_SECONDS = 15 };

/* Confines the calling process: from here on it opens nothing, dumps no core, gets no more than so
 * many bytes of memory besides those that it has, and so many seconds of CPU time in all.  It is
 * the first to be killed where memory is short. */
void confine(uint64_t memory, uint64_t seconds);

#endif
