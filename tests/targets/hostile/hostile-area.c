/*
 * hostile-area HOW MEGABYTES [N]: registers a buffer of its own before the runtime can.
 *	arcs		one file full of arcs, N different ones at the most, mapped over and over
 *	bins		the largest histogram, and twenty children that do nothing; prints their
 *			microseconds
 *	few		the same with a small one
 *
 * SPDX-License-Identifier: ISC
 */
#include "../clock.h"
#include "hostile.h"

enum { CHUNK = 64 << 20, PAGE = 4096 };

static char *
anonymous(char *at, uint64_t len)
{
	char *p = mmap(at, len, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0), -1, 0);

	if (p == MAP_FAILED)
		_exit(3);
	return p;
}

static void
fill_with_arcs(char *buf, uint64_t len, uint32_t n)
{
	int fd = memfd_create("arcs", 0);
	struct profsup_arc *arc;

	ftruncate(fd, CHUNK);
	arc = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (uint32_t i = 0; i < CHUNK / sizeof(*arc); i++)
		arc[i] = (struct profsup_arc){ (i % n * 2654435761U) | 1, i % n, 1 };
	for (uint64_t at = 0; at < len; at += CHUNK)
		if (mmap(buf + at, CHUNK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED)
			_exit(4);
	anonymous(buf, 2UL * PAGE);
	((struct profsup_header *)buf)->arcs_off = PAGE;
	((struct profsup_arcs *)(buf + PAGE))->used = 1UL << 60;
	((struct profsup_arcs *)(buf + PAGE))->shared_used = 1;
}

static void
fork_twenty(void)
{
	uint64_t start = now_us();
	char line[32];

	for (int i = 0; i < 20; i++) {
		if (fork() == 0)
			_exit(0);
		wait4(-1, NULL, 0, NULL);
	}
	write(1, line, (size_t)snprintf(line, sizeof(line), "%d\n", (int)(now_us() - start)));
}

static void
before(int argc, char **argv)
{
	uint64_t len = argc > 2 ? strtoul(argv[2], NULL, 10) << 20 : 0, bins = 1024;
	char *buf = anonymous(NULL, len);

	if (strcmp(argv[1], "arcs") == 0)
		fill_with_arcs(buf, len,
		               argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : UINT32_MAX);
	else if (strcmp(argv[1], "bins") == 0)
		bins = PROFSUP_MAX_SAMPLESIZE;
	if (syscall(PROFSUP_NR_PROFIL, buf, len, bins, 0x400000L, 65536L, -1L) != 0)
		_exit(5);
	if (strcmp(argv[1], "arcs") != 0)
		fork_twenty();
	_exit(0);
}

BEFORE_START_UP(before);

int
main(void)
{
	return 0;
}
