/*
 * The program's side of the desk: leave a call, wait for the answer.
 *
 * No system call is made, for a sandbox may know none; so the wait is a loop.  The supervisor
 * answers at its next tick.  If it has died there is no answer: the loop ends, and from then on it
 * is as if there had been no supervisor.
 *
 * SPDX-License-Identifier: ISC
 */
#include "desk.h"

#include "profsup_note.h"

#include <errno.h>

/* Seconds of pauses, the number of which in a second no program can know without a system call. */
#define PATIENCE (1UL << 26)

struct profsup_desk __profsup_desk = { .magic = PROFSUP_DESK_MAGIC,
	                               .version = PROFSUP_ABI_VERSION };

__asm__(".pushsection .note.profsup.desk,\"aR\",%note\n"
        "	.balign 4\n"
        "	.long 8, 8, 3\n"
        "	.asciz \"" PROFSUP_NOTE_NAME "\"\n"
        "	.long 2\n"
        "	.long __profsup_desk - .\n"
        "	.popsection");
_Static_assert(PROFSUP_NOTE_DESK == 3 && PROFSUP_ABI_VERSION == 2, "the note above");

static void
relax(void)
{
#ifdef __x86_64__
	__asm__ volatile("pause" ::: "memory");
#else
	__asm__ volatile("yield" ::: "memory");
#endif
}

/* A call in a signal handler that has interrupted one is not made. */
static int
lock(struct profsup_desk *desk)
{
	for (unsigned long i = 0; i < PATIENCE; i++) {
		if (__atomic_exchange_n(&desk->lock, 1, __ATOMIC_ACQUIRE) == 0)
			return 0;
		relax();
	}
	return -1;
}

static long
wait_for_answer(struct profsup_desk *desk, uint32_t number)
{
	for (unsigned long i = 0; i < PATIENCE; i++) {
		if (__atomic_load_n(&desk->answered, __ATOMIC_ACQUIRE) == number)
			return desk->result;
		relax();
	}
	desk->supervised = 0;
	return -ENOSYS;
}

/* The result, or -errno. */
long
__profsup_ask(uint64_t call, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	struct profsup_desk *desk = &__profsup_desk;
	uint32_t number;
	long ret;

	if (!desk->supervised)
		return -ENOSYS;
	if (lock(desk) < 0)
		return -EAGAIN;
	desk->call = call;
	desk->arg[0] = a;
	desk->arg[1] = b;
	desk->arg[2] = c;
	desk->arg[3] = d;
	number = desk->posted + 1;
	__atomic_store_n(&desk->posted, number, __ATOMIC_RELEASE);
	ret = wait_for_answer(desk, number);
	__atomic_store_n(&desk->lock, 0, __ATOMIC_RELEASE);
	return ret;
}
