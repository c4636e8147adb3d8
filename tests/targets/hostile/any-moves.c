/*
 * any-moves PROCESSES MAPPINGS SECONDS: so many processes, each with so many mappings of code, use
 * CPU time for so long, all of them together, in code that is at another address every few
 * milliseconds.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -O1
// LINK: plain
#include "spin.h"

enum { PLACES = 4096 };

/* Maps every other page of a file, so that no two mappings become one. */
static void
map_much(int fd, int mappings)
{
	char *at = mmap(NULL, 2UL * PAGE * (size_t)mappings, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
	                -1, 0);

	if (at == MAP_FAILED)
		err(2, "mmap");
	for (int i = 0; i < mappings; i++, at += 2 * PAGE)
		if (mmap(at, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, fd, 0) ==
		    MAP_FAILED)
			err(2, "mmap");
}

static void
compute(clock_t time)
{
	char *code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
	                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *room =
	    mmap(NULL, (size_t)PLACES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED || room == MAP_FAILED)
		err(2, "mmap");
	spin_put(code);
	for (size_t i = 0; clock() < time; i++) {
		code = mremap(code, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
		              room + i % PLACES * PAGE);
		if (code == MAP_FAILED)
			err(2, "mremap");
		spin_at(code);
	}
}

int
main(int argc, char **argv)
{
	const int processes = argc < 4 ? 0 : atoi(argv[1]);
	const int fd = memfd_create("moves", MFD_CLOEXEC);

	if (processes == 0 || fd < 0 || ftruncate(fd, PAGE) < 0)
		err(2, "it");
	map_much(fd, atoi(argv[2]));
	for (int i = 0; i < processes; i++)
		if (fork() == 0) {
			compute((clock_t)(atof(argv[3]) * CLOCKS_PER_SEC / processes));
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
