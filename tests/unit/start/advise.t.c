/*
 * By how many points a run says that a share may be off.
 *
 * SPDX-License-Identifier: ISC
 */
#include "start/start.h"
#include "tap.h"

int
main(void)
{
	struct stats st = { .ticks = 600, .samples = 600, .squares = 750, .late = 75 };

	is_int(advise_points(&st), 0, "nothing is said of samples by a clock that jitters");
	st = (struct stats){ .ticks = 600, .samples = 200, .squares = 1800, .late = 400 };
	is_int(advise_points(&st), 8, "200 samples of three ticks each: 8 points");
	st.squares = 6000;
	is_int(advise_points(&st), 13, "200 unequal ones tell as much as 60");
	st.samples = 30;
	is_int(advise_points(&st), 19,
	       "but no number of samples tells more than that of equal ones");
	st = (struct stats){ .ticks = 90, .samples = 45, .squares = 270, .late = 45 };
	is_int(advise_points(&st), 0, "nor of so few ticks that chance is large anyhow");
	st.late++;
	is_int(advise_points(&st), 19, "but if most of them were late");
	st = (struct stats){ .ticks = 31, .late = 31, .squares = 961 };
	is_int(advise_points(&st), 100, "or all");
	st = (struct stats){ .ticks = 9, .late = 9, .squares = 9 };
	is_int(advise_points(&st), 0, "though not of a few");
	st = (struct stats){ .ticks = 60000, .samples = 20000, .squares = 180000, .late = 40000 };
	is_int(advise_points(&st), 0, "nor where all of this is less than a point");
	st =
	    (struct stats){ .ticks = 60000, .samples = 20000, .squares = 90000, .misplaced = 5000 };
	is_int(advise_points(&st), 20, "of five stops one was in a call: as much is not found");
	st.misplaced = 500;
	is_int(advise_points(&st), 0, "of forty one: nothing is said");
	st = (struct stats){ .ticks = 10000000000, .samples = 5, .squares = UINT64_MAX };
	is_int(advise_points(&st), 45, "many ticks are not too many to be squared");
	return done_testing();
}
