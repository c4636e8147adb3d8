/*
 * profil(2) in its dialects, pcsample(2), sprofil(3) and moncontrol(3) for programs under
 * profsup(1).
 *
 * -DPROFIL_DIALECT=openbsd, bsd, illumos or aix says which of them is called profil; the default is
 * openbsd.  Each can be called by its own name at any time.
 *
 * unistd.h has a four-argument profil of its own, so it is included first here, and the name is
 * ours from then on, whichever of the two a program includes first.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFIL_H
#define PROFIL_H

#include <stddef.h>
#include <stdint.h>
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

/*
 * 4.4BSD: the `size` bytes at `samples` are 16-bit bins, which the process owns; the bin
 * [(pc - offset) / 2] * scale / 65536 goes up by one at each tick and wraps around.  scale 0 turns
 * it off.  Returns 0, or -1 with errno EFAULT (samples can't be written), EINVAL (scale above
 * 65536), ENOSYS (no supervisor, or it does not answer).
 */
extern int profil_bsd(void *samples, size_t size, size_t offset, unsigned int scale);

/* illumos: the same with the bin (pc - offset) * scale / 65536 / 2; scale 0 or 1 turns it off, and
 * so does a bin that reaches 32767. */
extern void profil_illumos(unsigned short *buff, size_t bufsiz, size_t offset, unsigned int scale);

/* AIX: the same, 60 times a second, with the low 16 bits of scale; 1 counts everything in the first
 * bin, 0 turns it off.  bufsiz -1: buff is an array of struct prof, see <mon.h>. */
extern void profil_aix(void *buff, unsigned int bufsiz, unsigned long offset, unsigned int scale);

/* illumos: stores program counters in `samples`, one for each tick, until there are `nsamples`; the
 * array replaces the one before.  nsamples 0 turns it off.  Returns how many the one before got, or
 * -1 with errno EFAULT, EINVAL (nsamples below 0) or ENOSYS. */
extern long pcsample(uintptr_t samples[], long nsamples);

#define PROFIL_NUMBER_openbsd 1
#define PROFIL_NUMBER_bsd     2
#define PROFIL_NUMBER_illumos 3
#define PROFIL_NUMBER_aix     4
#define PROFIL_NUMBER_2(name) PROFIL_NUMBER_##name
#define PROFIL_NUMBER(name)   PROFIL_NUMBER_2(name)

#ifndef PROFIL_DIALECT
#define profil profil_openbsd
#elif PROFIL_NUMBER(PROFIL_DIALECT) == PROFIL_NUMBER_openbsd
#define profil profil_openbsd
#elif PROFIL_NUMBER(PROFIL_DIALECT) == PROFIL_NUMBER_bsd
#define profil profil_bsd
#elif PROFIL_NUMBER(PROFIL_DIALECT) == PROFIL_NUMBER_illumos
#define profil profil_illumos
#elif PROFIL_NUMBER(PROFIL_DIALECT) == PROFIL_NUMBER_aix
#define profil profil_aix
#else
#error "PROFIL_DIALECT is none of openbsd, bsd, illumos, aix"
#endif

/* Stop (0) or resume (anything else) profiling of the whole process.  See moncontrol(3). */
extern void moncontrol(int mode);

#ifdef __cplusplus
}
#endif
#endif
