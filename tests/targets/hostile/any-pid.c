/*
 * any-pid HOW: a process computes in code that it has made and named by /tmp/perf-PID.map; when it
 * is gone, another one with its number (clone3 with set_tid, which is root's) computes in code at
 * the same place, which it does not name.  Prints that number, or "no" and why not.
 *	reuse		the map is gone by then
 *	stale		it has been left behind
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -O1
// LINK: plain
#include "hostile.h"
#include "spin.h"

static char *code;

static void
compute(void)
{
	for (clock_t end = clock() + CLOCKS_PER_SEC / 5; clock() < end;)
		spin_at(code);
	_exit(0);
}

static void
compute_named(void)
{
	char name[64];
	FILE *f;

	snprintf(name, sizeof(name), "/tmp/perf-%d.map", getpid());
	f = fopen(name, "wx");
	if (f == NULL)
		err(2, "%s", name);
	fprintf(f, "%lx %x of_the_first\n", (unsigned long)(uintptr_t)code, (unsigned)PAGE);
	fclose(f);
	compute();
}

int
main(int argc, char **argv)
{
	char name[64];
	pid_t first, second;

	code = mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
	            0);
	if (argc < 2 || code == MAP_FAILED)
		err(2, "it");
	spin_put(code);
	first = fork_as(0);
	if (first == 0)
		compute_named();
	wait(NULL);
	snprintf(name, sizeof(name), "/tmp/perf-%d.map", first);
	if (strcmp(argv[1], "reuse") == 0)
		unlink(name);
	second = fork_as(first);
	if (second == 0)
		compute();
	if (second < 0)
		printf("no %s\n", strerror(errno));
	else
		printf("%d\n", second);
	wait(NULL);
	unlink(name);
	return 0;
}
