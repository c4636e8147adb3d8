/*
 * Where something is, or would be, in what is sorted.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef SEARCH_H
#define SEARCH_H

#include <stddef.h>

/* Sets `at`, a size_t, to the number of the first of `n` elements that `is_before` is false of;
 * `n`: there is none.  `is_before` is an expression with `at`: true of the elements up to there,
 * false behind. */
#define SEARCH(at, n, is_before)                                                                   \
	do {                                                                                       \
		size_t search_low = 0, search_high = (n);                                          \
		while (search_low < search_high) {                                                 \
			(at) = search_low + (search_high - search_low) / 2;                        \
			if (is_before)                                                             \
				search_low = (at) + 1;                                             \
			else                                                                       \
				search_high = (at);                                                \
		}                                                                                  \
		(at) = search_low;                                                                 \
	} while (0)

#endif
