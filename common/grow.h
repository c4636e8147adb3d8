/*
 * Arrays whose capacity is the next power of two, so that it need not be kept.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_GROW_H
#define PROFSUP_GROW_H

#include <stdlib.h>

/* Makes room for one more element.  NULL without memory: the old array is still there. */
static inline void *
grow(void *array, size_t n, size_t element)
{
	if (n >= 8 && (n & (n - 1)) != 0)
		return array;
	return reallocarray(array, n < 8 ? 8 : 2 * n, element);
}

#endif
