/*
 * late-arcs FILE: an arc table of two pages, of which the second is one of FILE, which comes late
 * (see hostile-slow-fs.c).  The call that the first page tells of is made a second time after 0.3
 * s, while the supervisor still waits for the second one.  Then it prints "2", and uses the CPU
 * until it is killed.
 *
 * SPDX-License-Identifier: ISC
 */
#include "forged.h"

enum { PAGE = 4096, AREA = 1 << 18 };
enum { CALLEE = 0x401000, CALLER = 0x401800 };

static char area[AREA] __attribute__((aligned(PAGE)));

PLAIN static void
before(int argc, char **argv)
{
	struct profsup_header *header = (struct profsup_header *)area;
	struct profsup_arcs *arcs = (struct profsup_arcs *)(area + AREA / 2);
	const size_t places = (AREA / 2 - sizeof(*arcs)) / sizeof(arcs->pool[0]);
	volatile struct profsup_arc *arc = &arcs->pool[places / 4];
	const uint64_t again = now_ns() + 300000000;
	const int fd = argc > 1 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1;

	header->arcs_off = AREA / 2;
	*arc = (struct profsup_arc){ .self = CALLEE, .from = CALLER, .count = 1 };
	arcs->used = 2 * PAGE / sizeof(*arc);
	if (fd < 0 || mmap((void *)(((uint64_t)arc + PAGE) & ~(uint64_t)(PAGE - 1)), PAGE,
	                   PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
		err(1, "mmap");
	forged_text();
	__profsup_state.mode = PROFSUP_MODE_ON;
	__profsup_state.toggles = 1;
	forged_profil((uint64_t)area, AREA, AREA / 4, 0x400000);
	while (now_ns() < again)
		;
	arc->count = 2;
	printf("2\n");
	fflush(stdout);
	for (;;)
		;
}

BEFORE_START_UP(before);

int
main(void)
{
	return 0;
}
