/*
 * AIX's <mon.h>, as far as profil(2) needs it.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef MON_H
#define MON_H

/*
 * A range of text and its histogram.  An array of them, by ascending p_high and ended by one whose
 * p_high is 0, is given to profil(array, -1, 0, 0).
 *
 * The addresses are unsigned longs; AIX's daddr_t has no room for one here.  <sys/profil.h> has
 * another struct prof: a program can have one of the two headers only.
 */
struct prof {
	unsigned long p_low;  /* lowest address */
	unsigned long p_high; /* the first address that is not in the range */
	short *p_buff;        /* the histogram */
	int p_bufsize;        /* its size in bytes */
	int p_scale;          /* as profil's scale; -1: what makes it cover the range */
};

#ifndef PROFIL_H
#ifndef PROFIL_DIALECT
#define PROFIL_DIALECT aix
#endif
#include <profil.h>
#endif

#endif
