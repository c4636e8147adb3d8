/*
 * The program's side of the mailbox: leave a call, wait for the answer.
 *
 * No system call is made, since a sandbox may allow none; so the wait is a loop.  The supervisor
 * answers at its next tick.  If it has died there is no answer: the loop ends, and from then on it
 * is as if there had been no supervisor.
 *
 * A signal handler may make a call while its thread is making another one.  The handler's call
 * waits until the other one has its answer, if that was left at all, and puts the mailbox back as
 * it was.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mailbox.h"

#include "profsup_note.h"

#include <errno.h>

/* How many pauses we wait: half a second to several.  A program can't know more exactly without a
 * system call or the processor's clock, which strict seccomp takes away. */
#define PATIENCE (1UL << 27)

struct profsup_mailbox __profsup_mailbox = { .magic = PROFSUP_MAILBOX_MAGIC,
	                                     .version = PROFSUP_ABI_VERSION };

__asm__(".pushsection .note.profsup.mailbox,\"aR\",%note\n"
        "	.balign 4\n"
        "	.long 8, 8, 3\n"
        "	.asciz \"" PROFSUP_NOTE_NAME "\"\n"
        "	.long 2\n"
        "	.long __profsup_mailbox - .\n"
        "	.popsection");
_Static_assert(PROFSUP_NOTE_MAILBOX == 3 && PROFSUP_ABI_VERSION == 2, "the note above");

/* How many calls this thread is in. */
static __thread unsigned depth __attribute__((tls_model("initial-exec")));

static void
relax(void)
{
#ifdef __x86_64__
	__asm__ volatile("pause" ::: "memory");
#else
	__asm__ volatile("yield" ::: "memory");
#endif
}

static int
is_supervised(const struct profsup_mailbox *mailbox)
{
	return __atomic_load_n(&mailbox->supervised, __ATOMIC_ACQUIRE) != 0;
}

/* A lock that is held for so long has lost its owner: a thread of the process that we were forked
 * from. */
static void
lock(struct profsup_mailbox *mailbox)
{
	for (unsigned long i = 0; i < PATIENCE && is_supervised(mailbox); i++) {
		if (__atomic_exchange_n(&mailbox->lock, 1, __ATOMIC_ACQUIRE) == 0)
			return;
		relax();
	}
}

/* The answer may be to a handler's later call.  Once we have given up, the supervisor must not
 * come late and count in memory that is something else by then: it looks at `supervised` first
 * and last. */
static int
wait_for_answer(struct profsup_mailbox *mailbox, uint32_t number)
{
	for (unsigned long i = 0; i < PATIENCE && is_supervised(mailbox); i++) {
		if ((int32_t)(__atomic_load_n(&mailbox->answered, __ATOMIC_ACQUIRE) - number) >= 0)
			return 0;
		relax();
	}
	__atomic_store_n(&mailbox->supervised, 0, __ATOMIC_SEQ_CST);
	return -1;
}

/* Returns the result, or -errno. */
static long
ask(struct profsup_mailbox *mailbox, uint64_t call, const uint64_t arg[4])
{
	struct profsup_mailbox before;
	uint32_t number;
	long ret;

	if (wait_for_answer(mailbox, mailbox->posted) < 0)
		return -ENOSYS;
	before = *mailbox;
	mailbox->call = call;
	for (int i = 0; i < 4; i++)
		mailbox->arg[i] = arg[i];
	number = __atomic_add_fetch(&mailbox->posted, 1, __ATOMIC_ACQ_REL);
	ret = wait_for_answer(mailbox, number) < 0 ? -ENOSYS : mailbox->result;
	mailbox->call = before.call;
	for (int i = 0; i < 4; i++)
		mailbox->arg[i] = before.arg[i];
	mailbox->result = before.result;
	return ret;
}

int
__profsup_is_asked(void)
{
	return is_supervised(&__profsup_mailbox);
}

long
__profsup_ask(uint64_t call, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t arg[4] = { a, b, c, d };
	struct profsup_mailbox *mailbox = &__profsup_mailbox;
	long ret;

	if (!is_supervised(mailbox))
		return -ENOSYS;
	if (depth++ == 0)
		lock(mailbox);
	ret = ask(mailbox, call, arg);
	if (--depth == 0)
		__atomic_store_n(&mailbox->lock, 0, __ATOMIC_RELEASE);
	return ret;
}
