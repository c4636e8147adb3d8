/*
 * 4.4BSD's profil(2), which is also the one that <unistd.h> declares.  That one is libc's, too, and
 * works without a supervisor as libc's does.
 *
 * SPDX-License-Identifier: ISC
 */
#include "alone.h"
#include "mailbox.h"

#include <errno.h>
#include <stddef.h>

extern int profil_bsd(void *samples, size_t size, size_t offset, unsigned int scale);
extern int profil(unsigned short *samples, size_t size, size_t offset, unsigned int scale);

int
profil_bsd(void *samples, size_t size, size_t offset, unsigned int scale)
{
	const long ret = __profsup_ask(PROFSUP_CALL_BSD, (uintptr_t)samples, size, offset, scale);

	if (ret >= 0)
		return 0;
	errno = (int)-ret;
	return -1;
}

int
profil(unsigned short *samples, size_t size, size_t offset, unsigned int scale)
{
	if (!__profsup_is_asked())
		return __profsup_alone_profil(samples, size, offset, scale);
	__profsup_alone_profil(NULL, 0, 0, 0);
	return profil_bsd(samples, size, offset, scale);
}
