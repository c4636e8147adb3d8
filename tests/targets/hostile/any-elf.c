/*
 * any-elf SECONDS FILE...: maps the second page of each file as code and computes there, in turn,
 * until each has had so much CPU time.  The page gets its code first.  Prints "done".
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -O1
// LINK: plain
#include "spin.h"

static char *
map(const char *name)
{
	static char page[PAGE];
	const int fd = open(name, O_RDWR | O_CLOEXEC);
	char *code;

	spin_put(page);
	if (fd < 0 || pwrite(fd, page, sizeof(page), PAGE) != sizeof(page))
		err(2, "%s", name);
	code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, PAGE);
	if (code == MAP_FAILED)
		err(2, "%s", name);
	close(fd);
	return code;
}

static void
compute(char *code, double seconds)
{
	const clock_t end = clock() + (clock_t)(seconds * CLOCKS_PER_SEC);

	while (clock() < end)
		spin_at(code);
}

int
main(int argc, char **argv)
{
	for (int i = 2; i < argc; i++)
		compute(map(argv[i]), atof(argv[1]));
	puts("done");
	return 0;
}
