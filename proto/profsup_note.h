/*
 * The ELF notes that mark an image.  They are read from PT_NOTE segments, where they may sit next
 * to other notes; offsets are self-relative, so they need no relocation and survive stripping.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_NOTE_H
#define PROFSUP_NOTE_H

#define PROFSUP_NOTE_NAME "profsup" /* 8 bytes with its NUL */

/* The runtime (gcrt0.o) is in the image: profil is permitted.  Descriptor: struct profsup_note. */
#define PROFSUP_NOTE_RUNTIME 1

/* The program itself may call profil(2), now and later (libprofil.a's profil): the supervisor keeps
 * watching its system calls after start-up.  Descriptor: a 32-bit version. */
#define PROFSUP_NOTE_CALLER 2

/* The image has a mailbox (libprofil.a's dialects).  Descriptor: struct profsup_note, for struct
 * profsup_mailbox. */
#define PROFSUP_NOTE_MAILBOX 3

#ifndef __ASSEMBLER__
#include <stdint.h>

struct profsup_note {
	uint32_t version;  /* PROFSUP_ABI_VERSION */
	int32_t state_off; /* address of the state, or the mailbox, less this member's own */
};
#endif
#endif
