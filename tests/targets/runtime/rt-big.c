/*
 * rt-big CALLS: calls t_leaf() that often.  "rt-big early": 20 times, with the count put forward to
 * just below 3 * 2^32 between.
 */
#include "rt.h"

#include "../../../proto/profsup_abi.h"

extern struct profsup_state __profsup_state;

COUNTED_FUNCTION(t_leaf)

COUNTED static void
run(long n)
{
	/* gcc 14 would make two calls, and so two arcs, of the one here. */
	while (n-- > 0) {
		t_leaf();
		__asm__ volatile("" : "+r"(n));
	}
	__asm__ volatile("");
}

/* The one arc that has been counted ten times. */
static void
put_forward(uint64_t by)
{
	struct profsup_arcs *a = (struct profsup_arcs *)__profsup_state.arcs;

	for (uint64_t i = 0; i < __profsup_state.places; i++)
		if (a->pool[i].self != 0 && a->pool[i].count == 10)
			a->pool[i].count += by;
}

int
main(int argc, char **argv)
{
	const long calls = atol(argv[1]);

	if (strcmp(argv[1], "early") == 0) {
		run(10);
		put_forward(3 * (1UL << 32) - 15);
		run(10);
		tell_arc("run", "t_leaf", 3 * (1L << 32) + 5);
		return 0;
	}
	run(calls);
	tell_arc("run", "t_leaf", calls);
	return 0;
}
