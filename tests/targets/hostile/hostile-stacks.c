/*
 * hostile-stacks HOW: computes with a stack that is none.
 *
 *	wild		both pointers lead nowhere: to the first page, the kernel, the last byte
 *	cycle		frames that are their own callers
 *	endless		a return address at each word, so that there is always one more caller
 *	many		the same, with other addresses at each sample: no two stacks are the same
 *	changing	another thread writes the stack all the time
 *
 * SPDX-License-Identifier: ISC
 */
// CFLAGS: -pthread
#include "hostile.h"

enum { WORDS = 1 << 15, STEPS = 40000000 };

extern char __executable_start, etext;
static uint64_t stack[WORDS];

/* About 10 ms for a million steps, or less. */
__attribute__((noinline)) void
work(uint64_t sp, uint64_t fp, uint64_t steps)
{
#ifdef __x86_64__
	__asm__ volatile("movq %%rsp, %%r12\n\tmovq %%rbp, %%r13\n\t"
	                 "movq %1, %%rsp\n\tmovq %2, %%rbp\n\t"
	                 "1: decq %0\n\tjnz 1b\n\t"
	                 "movq %%r12, %%rsp\n\tmovq %%r13, %%rbp"
	                 : "+a"(steps)
	                 : "D"(sp), "S"(fp)
	                 : "r12", "r13", "cc");
#else
	register uint64_t n __asm__("x2") = steps, at __asm__("x0") = sp, frame __asm__("x1") = fp;

	__asm__ volatile("mov x9, sp\n\tmov x10, x29\n\tmov sp, x0\n\tmov x29, x1\n\t"
	                 "1: subs x2, x2, #1\n\tb.ne 1b\n\t"
	                 "mov sp, x9\n\tmov x29, x10"
	                 : "+r"(n)
	                 : "r"(at), "r"(frame)
	                 : "x9", "x10", "cc");
#endif
}

static uint64_t
address(const void *p)
{
	return (uint64_t)(uintptr_t)p;
}

/* Return addresses everywhere; where a frame pointer is looked for, one that leads on. */
static void
fill(unsigned seed)
{
	const uint64_t text = address(&etext) - address(&__executable_start);

	for (size_t i = 0; i < WORDS; i++) {
		seed = seed * 1103515245 + 12345;
		stack[i] = i % 2 == 0 ? address(&stack[i + 2])
		                      : address(&__executable_start) + seed % text;
	}
}

static void *
scribble(void *arg)
{
	for (unsigned seed = 1;; seed++)
		fill(seed);
	return arg;
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t id;

	if (strcmp(how, "wild") == 0) {
		work(8, 16, STEPS);
		work(0xffff800000000000, 0xffff800000000000, STEPS);
		work(~0UL, ~0UL, STEPS);
		work(address(work), address(work), STEPS);
	} else if (strcmp(how, "cycle") == 0) {
		for (size_t i = 0; i < WORDS; i++)
			stack[i] = i % 2 == 0 ? address(stack) : address(work) + 1;
		work(address(stack), address(stack), 4 * STEPS);
	} else if (strcmp(how, "endless") == 0) {
		fill(1);
		work(address(stack), address(stack), 4 * STEPS);
	} else if (strcmp(how, "many") == 0) {
		for (unsigned i = 0; i < 400; i++) {
			fill(i);
			work(address(stack), address(stack), STEPS / 100);
		}
	} else if (strcmp(how, "changing") == 0) {
		pthread_create(&id, NULL, scribble, NULL);
		work(address(stack), address(stack), 4 * STEPS);
	} else {
		return 2;
	}
	return 0;
}
