/*
 * What libc's profil(3) and sprofil(3) do in a program that nobody supervises.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_ALONE_H
#define PROFSUP_ALONE_H

#include <stddef.h>

struct timeval;

/* bins NULL: turns it off. */
int __profsup_alone_profil(void *bins, size_t size, size_t offset, unsigned scale)
    __attribute__((visibility("hidden")));
/* n 0: turns it off. */
int __profsup_alone_sprofil(const void *profp, int n, struct timeval *tick, unsigned flags)
    __attribute__((visibility("hidden")));

#endif
