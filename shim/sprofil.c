/*
 * sprofil(3) as glibc has it, also without a supervisor.
 *
 * SPDX-License-Identifier: ISC
 */
#include "alone.h"
#include "mailbox.h"

#include <errno.h>
#include <sys/time.h>

extern int sprofil(void *profp, int profcnt, struct timeval *tvp, unsigned int flags);

/* The answer is the time between two ticks, in microseconds. */
int
sprofil(void *profp, int profcnt, struct timeval *tvp, unsigned int flags)
{
	long ret;

	if (!__profsup_is_asked())
		return __profsup_alone_sprofil(profp, profcnt, tvp, flags);
	__profsup_alone_sprofil(NULL, 0, NULL, 0);
	ret = __profsup_ask(PROFSUP_CALL_SPROFIL, (uintptr_t)profp,
	                    profcnt > 0 ? (uint64_t)profcnt : 0, flags, 0);
	if (ret < 0) {
		errno = (int)-ret;
		return -1;
	}
	if (tvp != 0) {
		tvp->tv_sec = ret / 1000000;
		tvp->tv_usec = ret % 1000000;
	}
	return 0;
}
