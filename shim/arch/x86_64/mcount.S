/*
 * mcount and __fentry__: count one call in the calling thread's own table.
 *
 * The fast path makes no call, takes no lock and touches no memory that another thread writes.  It
 * counts by one add to memory, which a signal cannot split; everything before the add only reads,
 * so a handler, a longjmp out of it or a fork at any instruction leaves nothing half done.  It
 * keeps the registers that it needs, and the arithmetic flags, in its own red zone, which a signal
 * frame leaves alone.  r11 is free at a function's entry; all else is as it was.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup_abi.h"

#define HASH_FACTOR 0x9e3779b97f4a7c15
#define HASH_SHIFT 36
#define STATE_LOW_PC 64 /* in struct profsup_state; abi_check.c */
#define STATE_HIGH_PC 72
#define PUSH_R10 0x5241 /* the two bytes of push %r10 */

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
	.skip	16, 0xcc
	.size	__profsup_outside_caller, . - __profsup_outside_caller

/*
 * \from: where the return address in the caller stands.  8(%rbp) for mcount, which is called behind
 * the prologue, 8(%rsp) for __fentry__, which is called before it.  A naked function has no
 * prologue, and rbp may be anything: it is read where it is above the stack pointer, as a frame is.
 */
	.macro	COUNT from, slow, framed=0
	movq	%rax, -8(%rsp)
	movq	%rcx, -16(%rsp)
	lahf
	seto	%al
	movl	%eax, -20(%rsp)
	cmpb	$PROFSUP_MODE_ON, __profsup_state(%rip)
	jne	\slow
	.if	\framed
	cmpq	%rsp, %rbp
	jb	\slow
	.endif
	movq	\from, %rax
	movl	(%rsp), %ecx
	shlq	$32, %rax
	orq	%rcx, %rax
	movabsq	$HASH_FACTOR, %rcx
	imulq	%rax, %rcx
	shrq	$HASH_SHIFT, %rcx
	andq	%fs:__profsup_table@tpoff+8, %rcx
	addq	%fs:__profsup_table@tpoff, %rcx
	jz	\slow
	cmpq	%rax, (%rcx)
	jne	2f
1:	addq	$1, 8(%rcx)
	movl	-20(%rsp), %eax
	addb	$127, %al
	sahf
	movq	-16(%rsp), %rcx
	movq	-8(%rsp), %rax
	ret
2:	.rept	PROFSUP_TABLE_PAD
	addq	$PROFSUP_ARC_SIZE, %rcx
	cmpq	%rax, (%rcx)
	je	1b
	.endr
	jmp	\slow
	.endm

	.balign	64
	.globl	_mcount
	.weak	mcount
	.type	_mcount, @function
	.type	mcount, @function
_mcount:
mcount:
	.cfi_startproc
	endbr64
	COUNT	8(%rbp), .Lmcount_slow, framed=1
.Lmcount_slow:
	movq	8(%rsp), %rcx			/* a naked function's own */
	cmpq	%rsp, %rbp
	jb	.Lslow
	movq	8(%rbp), %rcx
	jmp	.Lslow
	.cfi_endproc
	.size	_mcount, . - _mcount
	.size	mcount, . - mcount

	.balign	64
	.globl	__fentry__
	.type	__fentry__, @function
__fentry__:
	.cfi_startproc
	endbr64
	COUNT	8(%rsp), .Lfentry_slow
/*
 * gcc's nested functions push r10, the frame that they are given, before the call, so their caller
 * is one word further.  The fast path does not find the arcs that are made here, and each such call
 * comes this way: exact, but slower.  The distances are those of call, call *[rip], and the large
 * model's two sequences.
 */
.Lfentry_slow:
	movq	8(%rsp), %rcx
	cmpq	__profsup_state+STATE_LOW_PC(%rip), %rcx
	jb	1f
	cmpq	__profsup_state+STATE_HIGH_PC(%rip), %rcx
	jb	.Lslow
1:	movq	(%rsp), %rax
	.irp	distance, 7, 8, 15, 38
	cmpw	$PUSH_R10, -\distance(%rax)
	je	2f
	.endr
	jmp	.Lslow
2:	movq	16(%rsp), %rcx
	jmp	.Lslow
	.cfi_endproc
	.size	__fentry__, . - __fentry__

/*
 * The slow path, by __profsup_record(from, self): there is no place for this arc yet, no table yet,
 * or a mode other than ON.  In: rcx = from; rax, rcx and the flags are saved in the red zone.  The
 * C code is compiled to use general registers only, so these nine are all there is to keep.
 */
	.type	__profsup_slow, @function
__profsup_slow:
	.cfi_startproc
.Lslow:
	cmpb	$PROFSUP_MODE_OFF, __profsup_state(%rip)
	je	3f
	movq	(%rsp), %rax
	subq	$32, %rsp			/* behind what is saved in the red zone */
	.cfi_adjust_cfa_offset 32
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	pushq	%r8
	.cfi_adjust_cfa_offset 8
	pushq	%r9
	.cfi_adjust_cfa_offset 8
	pushq	%r10
	.cfi_adjust_cfa_offset 8
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	movq	%rsp, %rbp			/* a caller's stack need not be aligned here */
	.cfi_def_cfa_register %rbp
	andq	$-16, %rsp
	cld
	movq	%rcx, %rdi
	movq	%rax, %rsi
	call	__profsup_record
	movq	%rbp, %rsp
	.cfi_def_cfa_register %rsp
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	popq	%r10
	.cfi_adjust_cfa_offset -8
	popq	%r9
	.cfi_adjust_cfa_offset -8
	popq	%r8
	.cfi_adjust_cfa_offset -8
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	addq	$32, %rsp
	.cfi_adjust_cfa_offset -32
3:	movl	-20(%rsp), %eax
	addb	$127, %al
	sahf
	movq	-16(%rsp), %rcx
	movq	-8(%rsp), %rax
	ret
	.cfi_endproc
	.size	__profsup_slow, . - __profsup_slow

#include "property.S"
