/*
 * Code that no symbol covers, and what to do about it.  No allocation, no messages.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef NAMELESS_H
#define NAMELESS_H

#include <stdbool.h>
#include <stddef.h>

/* Percent of the time that is worth a hint. */
enum { NAMELESS_LEAST = 10, NAMELESS_SIZE = 1024 };

/* Whether a function's name is that of its section, "[.text]", or begins with it. */
bool nameless_is(const char *name);

/* Writes what to do so that such functions of a file have their names; `again`: in another run. */
void nameless_hint(const char *file, double percent, const char *build_id, bool again,
                   char text[NAMELESS_SIZE]);

#endif
