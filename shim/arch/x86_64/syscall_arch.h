/*
 * A system call as the machine makes it: the result or -errno; errno itself is left alone.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_SYSCALL_ARCH_H
#define PROFSUP_SYSCALL_ARCH_H

static inline long
raw_syscall6(long n, long a, long b, long c, long d, long e, long f)
{
	long ret;
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
	                 : "=a"(ret)
	                 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
	                 : "rcx", "r11", "memory");
	return ret;
}

/* The thread pointer of a thread whose libc has set it up: the TLS block's self-pointer. */
static inline unsigned long
thread_pointer(void)
{
	unsigned long tp;

	__asm__("movq %%fs:0, %0" : "=r"(tp));
	return tp;
}

/*
 * Does a call instruction end at `pc`?  call rel32, or call through a register or memory (ff /2) in
 * any of its lengths.  The eight bytes before `pc` must be readable.
 */
static inline int
follows_call(const unsigned char *pc)
{
	static const signed char length[] = { 2, 3, 4, 6, 7 };

	if (pc[-5] == 0xe8)
		return 1;
	for (unsigned i = 0; i < sizeof(length); i++)
		if (pc[-length[i]] == 0xff && (pc[1 - length[i]] & 0x38) == 0x10)
			return 1;
	return 0;
}

#endif
