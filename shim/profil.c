/*
 * profil(2) as OpenBSD 7.8 has it, for programs that call it themselves (libprofil.a).
 *
 * Stopping needs no system call once the runtime has registered its region: it is the store that
 * moncontrol(0) makes, so it works in any sandbox.  The rest is the supervisor's to answer; its
 * note keeps it watching this image's system calls.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup_abi.h"
#include "profsup_note.h"
#include "syscall_arch.h"

#include <profil.h>

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <unistd.h>

extern struct profsup_state __profsup_state __attribute__((weak, visibility("hidden")));
extern void __profsup_pause(int by) __attribute__((weak, visibility("hidden")));

__asm__(".pushsection .note.profsup.caller,\"aR\",%note\n"
        "	.balign 4\n"
        "	.long 8, 4, 2\n"
        "	.asciz \"" PROFSUP_NOTE_NAME "\"\n"
        "	.long 2\n"
        "	.popsection");
_Static_assert(PROFSUP_NOTE_CALLER == 2 && PROFSUP_ABI_VERSION == 2, "the note above");

/* Unlike moncontrol's, these calls do not nest: each says what holds from here on. */
static void
set_running(int on)
{
	if (on)
		__profsup_pause(INT_MIN);
	else if (__profsup_state.paused == 0)
		__profsup_pause(1);
}

int
profil_openbsd(void *buf, size_t buflen, size_t samplesize, unsigned long offset,
               unsigned int scale, int dirfd)
{
	int runtime = &__profsup_state != NULL && (__profsup_state.supervised & PROFSUP_SUPERVISED);
	long ret = 0;

	if (!runtime || scale != 0)
		ret = raw_syscall6(PROFSUP_NR_PROFIL, (long)buf, (long)buflen, (long)samplesize,
		                   (long)offset, scale, dirfd);
	if (ret < 0) {
		errno = (int)-ret;
		return -1;
	}
	if (runtime)
		set_running(scale != 0);
	return 0;
}
