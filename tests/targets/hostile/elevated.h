/*
 * Where elevated.c has its memory, and hostile-elevated.c what it claims.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef ELEVATED_H
#define ELEVATED_H

#include <stdint.h>

#define PLACE  0x20000000UL
#define HALF   (2UL << 20)
#define SECRET 0x53000000U

/* Arranged as arcs are, lest their file become large. */
struct secret {
	uint32_t one, two;
	uint64_t three;
};

#endif
