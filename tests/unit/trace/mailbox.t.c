/*
 * mailbox.c: a call whose answer can't be written yet is served once.  The mailbox lies in two
 * pages of our own memory, of which the second one, with the number of the answer, may not be
 * written for a while.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tap.h"
#include "trace/trace.h"

#include <stddef.h>
#include <sys/mman.h>

enum { PAGE = 4096, TAKEN = 5 };

int
main(void)
{
	static struct profile profile;
	static struct profsup ps = { .sampler = &sampler_ptrace };
	static struct proc proc = { .profile = &profile };
	uint8_t *pages =
	    mmap(NULL, 2UL * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct profsup_mailbox *mailbox;

	memjob_patience(60 * NSEC);
	if (pages == MAP_FAILED || mem_open(&proc, getpid()) < 0)
		bail("mmap");
	mailbox = (void *)(pages + PAGE - offsetof(struct profsup_mailbox, answered));
	*mailbox = (struct profsup_mailbox){
		.supervised = 1, .call = PROFSUP_CALL_PCSAMPLE, .posted = 1, .result = 77
	};
	proc.mailbox.addr = (uint64_t)(uintptr_t)mailbox;
	/* pcsample(buf, 0) ends what has taken so many samples, and returns their number. */
	profile.dialect[PROFSUP_CALL_PCSAMPLE - 1] = dialect_new(PROFSUP_CALL_PCSAMPLE, 1);
	profile.dialect[PROFSUP_CALL_PCSAMPLE - 1]->taken = TAKEN;

	if (mprotect(pages + PAGE, PAGE, PROT_READ) < 0)
		bail("mprotect");
	mailbox_look(&ps, &proc);
	is_int(mailbox->result, TAKEN, "the call is served");
	is_int(mailbox->answered, 0, "its answer is not there yet");
	ok(profile.dialect[PROFSUP_CALL_PCSAMPLE - 1] == NULL, "the samples are over");
	mailbox_look(&ps, &proc);
	is_int(mailbox->result, TAKEN, "the answer stays the same");
	if (mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE) < 0)
		bail("mprotect");
	mailbox_look(&ps, &proc);
	ok(mailbox->result == TAKEN && mailbox->answered == 1,
	   "it is there when it can be written");
	mailbox->posted = 2;
	mailbox_look(&ps, &proc);
	ok(mailbox->result == 0 && mailbox->answered == 2, "the next call has its own");
	mem_close(&proc);
	return done_testing();
}
