/*
 * hostile-slow-page N FILE: N processes use the CPU, for ever, while the page of the runtime's
 * state, which the supervisor needs, comes late each time: it is one of FILE, always another (see
 * hostile-slow-fs.c).  Prints "ready PID" before, or "no" and the reason.
 *
 * SPDX-License-Identifier: ISC
 */
#include "forged.h"

enum { PAGE = 4096, AREA = 1 << 18 };

static char area[AREA] __attribute__((aligned(PAGE)));

/* Nothing that is used while the page is away is in it. */
static struct {
	uint64_t page;
	volatile unsigned long sink;
} its __attribute__((aligned(PAGE)));

PLAIN static void __attribute__((noreturn)) use_cpu(int fd, uint64_t at)
{
	for (;;) {
		const uint64_t end = now_ns() + 3000000;

		/* Readahead must not bring the next. */
		at += 1UL << 20;
		mmap((void *)its.page, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd,
		     (off_t)at);
		while (now_ns() < end)
			its.sink++;
	}
}

PLAIN static void
before(int argc, char **argv)
{
	struct profsup_header *header = (struct profsup_header *)area;
	struct profsup_arcs *arcs = (struct profsup_arcs *)(area + AREA / 2);
	int fd;

	if (argc < 3)
		return;
	header->arcs_off = AREA / 2;
	arcs->used = 1000;
	forged_text();
	__profsup_state.mode = PROFSUP_MODE_ON;
	__profsup_state.toggles = 1;
	forged_profil((uint64_t)area, AREA, AREA / 4, (uint64_t)use_cpu);
	its.page = (uint64_t)&__profsup_state & ~(uint64_t)(PAGE - 1);
	fd = open(argv[2], O_RDWR | O_CLOEXEC);
	if (fd < 0)
		printf("no %s\n", strerror(errno));
	else
		ready();
	fflush(stdout);
	for (int i = 0, n = atoi(argv[1]); i < n; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			use_cpu(fd, (uint64_t)i << 34);
		}
	for (;;)
		pause();
}

BEFORE_START_UP(before);

int
main(void)
{
	return 0;
}
