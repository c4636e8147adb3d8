/*
 * _mcount(from): count one call in the calling thread's own table.  The compilers call it like any
 * function, behind the prologue, with the caller's return address in x0; there is no __fentry__
 * here.
 *
 * The fast path makes no call, takes no lock, and touches no memory that another thread writes.
 * Everything before the add only reads, so a handler, a longjmp out of it or a fork at any
 * instruction leaves nothing half done.
 *
 * The add is a load, an add and a store, between which a signal handler could count the same arc,
 * and its count would be lost to the store.  So load and store are an exclusive pair: a return from
 * the kernel clears the monitor, the store then fails and the pair is tried again.  No other thread
 * writes the line, so there is no other reason to try again.  stadd would be one instruction, on
 * processors that have it (Armv8.1); choosing it at start-up would cost every call a load and a
 * branch, and a program that is linked for all of them can't choose before.
 *
 * x0 to x8 and the vector registers are as they were, so that assembler may call us as it calls
 * other profilers' mcount at its entry; x9 to x17 and the flags are free, as in any call.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup_abi.h"

#define STATE_LOW_PC 64 /* in struct profsup_state; abi_check.c */

	.section .tdata,"awT",%progbits
	.balign 16
	.globl	__profsup_table
	.hidden	__profsup_table
	.type	__profsup_table, %object
	.size	__profsup_table, 24
__profsup_table:
	.zero	16
	.quad	PROFSUP_TLS_MARK

	.section .text.profsup,"ax",@progbits
	.globl	__profsup_runtime_low
	.hidden	__profsup_runtime_low
__profsup_runtime_low:

/* What gprof shows as the caller of a function that was called from outside of the text. */
	.globl	__profsup_outside_caller
	.hidden	__profsup_outside_caller
	.type	__profsup_outside_caller, @function
__profsup_outside_caller:
	.rept	4
	brk	#0
	.endr
	.size	__profsup_outside_caller, . - __profsup_outside_caller

	.balign	64
	.globl	_mcount
	.weak	__mcount
	.weak	mcount
	.type	_mcount, @function
	.type	__mcount, @function
	.type	mcount, @function
_mcount:
__mcount:
mcount:
	.cfi_startproc
	hint	#34				/* bti c */
	adrp	x9, __profsup_state
	ldrb	w9, [x9, #:lo12:__profsup_state]
	cmp	w9, #PROFSUP_MODE_ON
	b.ne	.Lslow
	mov	w9, w30				/* the key: from's low half, self's low half */
	bfi	x9, x0, #32, #32
	mov	x10, #0x7c15			/* PROFSUP_HASH_FACTOR */
	movk	x10, #0x7f4a, lsl #16
	movk	x10, #0x79b9, lsl #32
	movk	x10, #0x9e37, lsl #48
	mul	x10, x10, x9
	lsr	x10, x10, #36			/* PROFSUP_HASH_SHIFT */
	mrs	x11, tpidr_el0
	add	x11, x11, #:tprel_hi12:__profsup_table, lsl #12
	add	x11, x11, #:tprel_lo12_nc:__profsup_table
	ldp	x12, x13, [x11]			/* arcs, mask: both old or both new */
	and	x10, x10, x13
	add	x10, x10, x12
	cbz	x10, .Lslow
	ldr	x11, [x10]
	cmp	x11, x9
	b.ne	2f
1:	add	x10, x10, #8
.Ladd:	ldxr	x11, [x10]
	add	x11, x11, #1
	stxr	w12, x11, [x10]
	cbnz	w12, .Ladd
	ret
2:	.rept	PROFSUP_TABLE_PAD
	ldr	x11, [x10, #PROFSUP_ARC_SIZE]!
	cmp	x11, x9
	b.eq	1b
	.endr
	b	.Lslow
	.cfi_endproc
	.size	_mcount, . - _mcount
	.size	__mcount, . - __mcount
	.size	mcount, . - mcount

/*
 * The slow path, by __profsup_record(from, self): there is no place for this arc yet, no table yet,
 * or a mode other than ON.  The C code is compiled to use general registers only, and not x18,
 * which may be the platform's.
 *
 * Clang 14 calls _mcount without an argument, so x0 may be the caller's own first argument.  It is
 * taken for a return address if it stands behind a call in the text; else the frame record's return
 * address is taken.  Both compilers have made that record by now, and it has the same address where
 * x0 was right.  The fast path does not find the arcs that are made so, and each such call comes
 * this way: exact, but slower.
 */
	.type	__profsup_slow, @function
__profsup_slow:
	.cfi_startproc
.Lslow:
	adrp	x9, __profsup_state
	add	x9, x9, #:lo12:__profsup_state
	ldrb	w10, [x9]
	cbz	w10, 4f				/* PROFSUP_MODE_OFF */
	hint	#25				/* paciasp */
	.cfi_negate_ra_state
	stp	x29, x30, [sp, #-96]!
	.cfi_def_cfa_offset 96
	.cfi_offset 29, -96
	.cfi_offset 30, -88
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x7, [sp, #64]
	str	x8, [sp, #80]
	mov	x30, x0
	hint	#7				/* xpaclri: it may be signed */
	ldp	x10, x11, [x9, #STATE_LOW_PC]	/* and high_pc */
	sub	x12, x30, #4
	sub	x13, x12, x10
	sub	x11, x11, x10
	cmp	x13, x11
	b.hs	2f
	tst	x12, #3
	b.ne	2f
	ldr	w13, [x12]
	lsr	w11, w13, #26
	cmp	w11, #0x25			/* bl */
	b.eq	3f
	mov	w11, #0xfeff0000		/* blr, and blraa and its like */
	and	w11, w11, w13
	mov	w12, #0xd63f0000
	cmp	w11, w12
	b.eq	3f
/* Take the caller's frame record, if it is on this stack and not far, as it is if x29 points to
 * one. */
2:	mov	x11, sp
	sub	x11, x29, x11
	cmp	x11, #0xfff, lsl #12
	b.hs	3f
	tst	x29, #7
	b.ne	3f
	ldr	x30, [x29, #8]
	hint	#7
3:	mov	x0, x30
	ldr	x1, [sp, #8]
	mov	x29, sp
	.cfi_def_cfa_register 29
	bl	__profsup_record
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldp	x6, x7, [sp, #64]
	ldr	x8, [sp, #80]
	.cfi_def_cfa 31, 96
	ldp	x29, x30, [sp], #96
	.cfi_def_cfa_offset 0
	.cfi_restore 29
	.cfi_restore 30
	hint	#29				/* autiasp */
	.cfi_negate_ra_state
4:	ret
	.cfi_endproc
	.size	__profsup_slow, . - __profsup_slow

#include "property.S"
