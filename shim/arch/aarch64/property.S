/*
 * For the end of every assembler file: no executable stack, and fit for branch target
 * identification and signed return addresses.  One object without this note takes the property from
 * the whole program.
 *
 * SPDX-License-Identifier: ISC
 */
	.section .note.GNU-stack,"",%progbits

	.section .note.gnu.property,"a",%note
	.balign	8
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000000, 4, 3, 0
