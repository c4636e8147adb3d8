/*
 * The names by which only libc itself knows profil(3) and sprofil(3).  We own them, so that no
 * SIGPROF timer is ever set; the names that programs use are in libprofil.a.
 *
 * SPDX-License-Identifier: ISC
 */
#include "shim.h"

#include <errno.h>
#include <unistd.h>

struct prof;
struct timeval;

extern int __profil(unsigned short *buf, size_t size, size_t offset, unsigned int scale);
extern int __sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags);
extern int __profile_frequency(void);

int
__profil(unsigned short *buf, size_t size, size_t offset, unsigned int scale)
{
	(void)buf, (void)size, (void)offset, (void)scale;
	errno = ENOSYS;
	return -1;
}

int
__sprofil(struct prof *profp, int profcnt, struct timeval *tvp, unsigned int flags)
{
	(void)profp, (void)profcnt, (void)tvp, (void)flags;
	errno = ENOSYS;
	return -1;
}

/* libc's clock ticks, for callers that ask; the rate of a profile is the supervisor's (-F). */
int
__profile_frequency(void)
{
	return (int)sysconf(_SC_CLK_TCK);
}
