/*
 * How figures are written, wherever they are shown.  No allocation, no messages.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef FIGURE_H
#define FIGURE_H

#include <stdint.h>

enum { FIGURE_SIZE = 16 };

/* Writes what a call has cost, in three digits and a unit; "0": less than the samples can tell;
 * "-": there were no calls. */
const char *figure_per_call(double ns, uint64_t calls, char text[FIGURE_SIZE]);

#endif
