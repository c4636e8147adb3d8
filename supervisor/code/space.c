/*
 * The code of a process's address space.  It does not change, since a worker thread may be walking
 * a stack by it: it is replaced (mapped.c).
 *
 * SPDX-License-Identifier: ISC
 */
#include "code/code.h"

#include <stdlib.h>

/* Returns the space of a process of which nothing is known. */
struct space *
space_none(void)
{
	static struct space none = { .refs = 1 };

	return &none;
}

struct space *
space_share(struct space *s)
{
	s->refs++;
	return s;
}

void
space_drop(struct space *s)
{
	if (s != NULL && --s->refs == 0)
		free(s);
}

/* Returns a space with room for so many pieces of code, NULL without memory. */
struct space *
space_new(size_t n)
{
	struct space *s = calloc(1, sizeof(*s) + n * sizeof(s->code[0]));

	if (s != NULL)
		s->refs = 1;
	return s;
}
