/*
 * hostile-huge GIGABYTES PROCESSES: each of so many processes has an address space of that size,
 * all zero pages that cost a table entry each, and uses the CPU with one thread while another forks
 * again and again, for ever: the kernel has the memory's lock for as long as each fork copies the
 * tables.  Prints "ready PID" before.
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "../counted.h"
#include "hostile.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

COUNTED_FUNCTION(work)

static void *
use_cpu(void *none)
{
	for (;;)
		work();
	return none;
}

static void
populate(size_t len)
{
	char *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		err(3, "mmap");
	madvise(p, len, MADV_NOHUGEPAGE);
	p[0] = 1; /* now a fork has to copy the tables */
	if (madvise(p, len, MADV_POPULATE_READ) < 0)
		for (size_t i = 0; i < len; i += 4096)
			sink += (unsigned long)p[i];
}

int
main(int argc, char **argv)
{
	const size_t len = argc > 2 ? strtoul(argv[1], NULL, 10) << 30 : 0;
	int tell[2];
	char done;

	if (argc < 3)
		return 2;
	pipe(tell);
	for (int i = 0; i < atoi(argv[2]); i++)
		if (fork() == 0) {
			pthread_t thread;

			prctl(PR_SET_PDEATHSIG, SIGKILL);
			populate(len);
			write(tell[1], "", 1);
			pthread_create(&thread, NULL, use_cpu, NULL);
			for (;; wait(NULL))
				if (fork() == 0)
					_exit(0);
		}
	for (int i = 0; i < atoi(argv[2]); i++)
		read(tell[0], &done, 1);
	ready();
	for (;;)
		pause();
}
