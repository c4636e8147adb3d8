/*
 * Linked last into gcrt0.o: where the runtime's code ends.
 *
 * SPDX-License-Identifier: ISC
 */
	.section .text.profsup,"ax",%progbits
	.globl	__profsup_runtime_high
	.hidden	__profsup_runtime_high
__profsup_runtime_high:
	.byte	0

#include "property.S"
