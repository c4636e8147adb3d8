/*
 * Functions whose calls a test counts, and that do next to nothing.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef COUNTED_H
#define COUNTED_H

#include "program.h"

static volatile unsigned long sink;

#define COUNTED_FUNCTION(name)                                                                     \
	__attribute__((noinline)) void name(void)                                                  \
	{                                                                                          \
		sink++;                                                                            \
	}

#endif
