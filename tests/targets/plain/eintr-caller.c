/*
 * eintr.c, but it calls profil(2) itself, if ever: each of its system calls stops.
 */
// CFLAGS: -pthread
#include "eintr.c"

#include <profil.h>

__typeof__(profil) *const caller __attribute__((used)) = profil;
