/*
 * profil(2) and moncontrol(3) for programs under profsup(1).
 *
 * unistd.h has a four-argument profil of its own, so it comes first here and the name is ours from
 * then on, whichever of the two a program includes first.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFIL_H
#define PROFIL_H

#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Register `buf`, of `buflen` bytes, as the profile buffer: a header, `samplesize` bytes of 16-bit
 * bins, the arcs.  `offset` is the lowest address sampled, `scale` (1 to 65536) the part of 65536
 * that says how many bytes of bins there are for each byte of text: 65536 is a bin for 2 bytes.  0
 * stops the profile.  The file is made in the directory `dirfd`, or the current one for -1.
 *
 * Returns 0, or -1 with errno EPERM (no profsup runtime in the image, or a dynamic one), EINVAL
 * (scale above 65536, sizes that don't fit), EALREADY (another buffer is registered), EBADF or
 * ENOTDIR (dirfd), EFAULT (buf), ENOSYS (no supervisor).  See profil(2).
 */
extern int profil_openbsd(void *buf, size_t buflen, size_t samplesize, unsigned long offset,
                          unsigned int scale, int dirfd);
#define profil profil_openbsd

/* Stop (0) or resume (anything else) profiling of the whole process.  See moncontrol(3). */
extern void moncontrol(int mode);

#ifdef __cplusplus
}
#endif
#endif
