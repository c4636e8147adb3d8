/*
 * How something that there is only so much of is shared: who takes of it leaves as much to others
 * as he takes.  One alone can have half of it, and of many greedy ones each has as much as is left.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_SHARE_H
#define PROFSUP_SHARE_H

#include <stddef.h>

/* Returns how much of `most` one who has `own` of it may still take, if all have `taken`. */
static inline size_t
share_left(size_t own, size_t taken, size_t most)
{
	return own < most && taken < most - own ? most - own - taken : 0;
}

#endif
