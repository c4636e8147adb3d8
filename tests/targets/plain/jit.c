// CFLAGS: -fno-omit-frame-pointer
/*
 * jit MS [thread]: makes a function at run time, tells perf's readers of it by /tmp/perf-PID.map,
 * and spends its time there; in a thread that outlives the first one.  On other machines than
 * x86-64 it exits with 77.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../program.h"

/* push %rbp; mov %rsp,%rbp; 1: dec %rdi; jnz 1b; pop %rbp; ret */
static const unsigned char code[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0xff,
	                              0xcf, 0x75, 0xfb, 0x5d, 0xc3 };

static void
tell(const void *at)
{
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	f = fopen(path, "w");
	if (f == NULL)
		exit(2);
	/* What was made first began inside of what has its place now. */
	fprintf(f, "%lx 6 replaced_later\n%lx %zx made_here\n", (unsigned long)at + 2,
	        (unsigned long)at, sizeof(code));
	fclose(f);
}

__attribute__((noinline)) void
run(void (*made)(long), long ms)
{
	const clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		made(1000000);
}

static void (*made)(long);
static long time_ms;

static void *
run_in_thread(void *arg)
{
	run(made, time_ms);
	return arg;
}

int
main(int argc, char **argv)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
	                -1, 0);

#ifndef __x86_64__
	return 77;
#endif
	if (argc < 2 || at == MAP_FAILED)
		return 1;
	memcpy(at, code, sizeof(code));
	tell(at);
	made = at;
	time_ms = atol(argv[1]);
	if (argc > 2) {
		pthread_t t;

		pthread_create(&t, NULL, run_in_thread, NULL);
		pthread_exit(NULL);
	}
	run(made, time_ms);
	return 0;
}
