/*
 * A target chooses its addresses.  It must not know which of them get the same hash.  Pure.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"

static uint64_t secret = 1; /* odd */

/* Called once, with a number that no target knows. */
void
secret_set(uint64_t random)
{
	secret = random | 1;
}

uint64_t
secret_mix(uint64_t key)
{
	return key * secret;
}
