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
	register long x8 __asm__("x8") = n;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
	                 : "+r"(x0)
	                 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
	                 : "memory", "cc");
	return x0;
}

/* The thread pointer: 0 in a thread that no libc has given one. */
static inline unsigned long
thread_pointer(void)
{
	unsigned long tp;

	__asm__("mrs %0, tpidr_el0" : "=r"(tp));
	return tp;
}

/* Does a call instruction end at `pc`?  bl, blr, or blr with pointer authentication.  The eight
 * bytes before `pc` must be readable. */
static inline int
follows_call(const unsigned char *pc)
{
	const unsigned code = pc[-4] | pc[-3] << 8 | pc[-2] << 16 | (unsigned)pc[-1] << 24;

	return (code & 0xfc000000) == 0x94000000 || (code & 0xfffffc1f) == 0xd63f0000 ||
	       (code & 0xfefff800) == 0xd63f0800;
}

#endif
