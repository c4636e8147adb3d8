/*
 * illumos's pcsample(2).
 *
 * SPDX-License-Identifier: ISC
 */
#include "mailbox.h"

#include <errno.h>

extern long pcsample(uintptr_t samples[], long nsamples);

long
pcsample(uintptr_t samples[], long nsamples)
{
	long ret = -EINVAL;

	if (nsamples >= 0)
		ret = __profsup_ask(PROFSUP_CALL_PCSAMPLE, (uintptr_t)samples, (uint64_t)nsamples,
		                    0, 0);
	if (ret >= 0)
		return ret;
	errno = (int)-ret;
	return -1;
}
