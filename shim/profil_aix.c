/*
 * AIX's profil(2), in both of its forms.
 *
 * SPDX-License-Identifier: ISC
 */
#include "mailbox.h"

extern void profil_aix(void *buff, unsigned int bufsiz, unsigned long offset, unsigned int scale);

void
profil_aix(void *buff, unsigned int bufsiz, unsigned long offset, unsigned int scale)
{
	__profsup_ask(PROFSUP_CALL_AIX, (uintptr_t)buff, bufsiz, offset, scale);
}
