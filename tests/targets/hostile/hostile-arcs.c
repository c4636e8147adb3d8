/*
 * hostile-arcs [CHILDREN]: claims calls by the 2^64 in its arc tables, as do so many children.
 *
 * SPDX-License-Identifier: ISC
 */
#include "hostile.h"

/* Counts that make as many records each as the supervisor will write. */
static void
huge_counts(void)
{
	struct profsup_arcs *a = hostile_arcs();
	struct profsup_arc *pool = a->pool + __profsup_state.places / 4;

	a->used = 1000;
	for (int i = 0; i < 48; i++)
		pool[i] = (struct profsup_arc){
			.self = (uint32_t)__profsup_state.low_pc + 16 * (uint32_t)i,
			.from = (uint32_t)__profsup_state.low_pc + 1,
			.count = UINT64_MAX,
		};
}

int
main(int argc, char **argv)
{
	int children = argc > 1 ? atoi(argv[1]) : 0;

	huge_counts();
	while (children-- > 0) {
		if (fork() == 0) {
			huge_counts();
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}
