/*
 * The note that permits profil(2), and leads the supervisor to the state of a stripped, sandboxed,
 * running image.  In assembler, because a pointer in a C attribute would make the section writable.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup_abi.h"
#include "profsup_note.h"

	.section .note.profsup,"aR",%note
	.balign	4
	.long	2f - 1f
	.long	4f - 3f
	.long	PROFSUP_NOTE_RUNTIME
1:	.asciz	PROFSUP_NOTE_NAME
2:	.balign	4
3:	.long	PROFSUP_ABI_VERSION
	.long	__profsup_state - .
4:	.balign	4

#include "property.S"
