/*
 * Code that computes for some ms wherever it is mapped.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef SPIN_H
#define SPIN_H

#include "../program.h"

enum { PAGE = 4096, TURNS = 4000000 };

/* Needs nothing but its registers, so that it runs at any address. */
__attribute__((noinline, aligned(PAGE))) static unsigned long
spin(unsigned long n)
{
	while (n-- > 0)
		__asm__ volatile("" : "+r"(n));
	return n;
}

/* Puts it where a page is mapped. */
static inline void
spin_put(char *code)
{
	memcpy(code, (const void *)(uintptr_t)spin, PAGE / 2);
}

static inline void
spin_at(char *code)
{
	__builtin___clear_cache(code, code + PAGE);
	((unsigned long (*)(unsigned long))(uintptr_t)code)(TURNS);
}

#endif
