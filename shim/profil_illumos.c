/*
 * illumos's profil(2).
 *
 * SPDX-License-Identifier: ISC
 */
#include "mailbox.h"

#include <stddef.h>

extern void profil_illumos(unsigned short *buff, size_t bufsiz, size_t offset, unsigned int scale);

void
profil_illumos(unsigned short *buff, size_t bufsiz, size_t offset, unsigned int scale)
{
	__profsup_ask(PROFSUP_CALL_ILLUMOS, (uintptr_t)buff, bufsiz, offset, scale);
}
