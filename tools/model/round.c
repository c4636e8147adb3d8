/*
 * Whole numbers for fractions: each is off by less than one, and so is their sum at any moment.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

/* Sums of thirds and the like come out a trifle short of the whole number that they are. */
uint64_t
round_take(struct round *r, double amount)
{
	const double most = 9e18; /* what fits in an int64_t, which pprof's are */
	uint64_t whole, part;

	r->exact += amount;
	whole = r->exact >= most ? (uint64_t)most : (uint64_t)(r->exact + 0.5);
	part = whole > r->given ? whole - r->given : 0;
	r->given += part;
	return part;
}
