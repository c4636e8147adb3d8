/*
 * core MEGABYTES: calls t_calls 1000 times, prints "dumping" and dumps core, of that many
 * megabytes.
 *
 * SPDX-License-Identifier: ISC
 */
#include "../program.h"

__attribute__((noipa)) void
t_calls(void)
{
	__asm__ volatile("");
}

int
main(int argc, char **argv)
{
	const size_t size = (size_t)(argc > 1 ? atoi(argv[1]) : 1) << 20;
	char *memory = malloc(size);

	if (memory == NULL)
		return 1;
	memset(memory, argc, size);
	__asm__ volatile("" : : "r"(memory) : "memory");
	for (int i = 0; i < 1000; i++)
		t_calls();
	printf("dumping\n");
	fflush(stdout);
	raise(SIGSEGV);
	return 0;
}
