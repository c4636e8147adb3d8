/*
 * eintr.c, but it calls profil(2) itself, if ever: each of its system calls stops.
 */
// CFLAGS: -pthread
#include "eintr.c"

#include <profil.h>

int (*const caller)(char *, size_t, size_t, unsigned, int) __attribute__((used)) = profil;
