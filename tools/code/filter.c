/*
 * A filter of system calls: whoever makes us run his code, by a file that elfutils or the demangler
 * can't cope with, has what it takes to read that file, and nothing else.
 *
 * SPDX-License-Identifier: ISC
 */
#include "readcode.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifdef __x86_64__
#define NATIVE AUDIT_ARCH_X86_64
#else
#define NATIVE AUDIT_ARCH_AARCH64
#endif

#define LOAD(field)                                                                                \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define REFUSE                  BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)
#define ALLOW                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
#define IS(value, instructions) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, (instructions))
#define MAY(call)               IS(SYS_##call, 1), ALLOW
/* Of memory that is no code.  (The low half of the argument comes first.) */
#define MAY_WITHOUT_CODE(call)                                                                     \
	IS(SYS_##call, 4), LOAD(args[2]), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 0, 1),   \
	    REFUSE, ALLOW

/* Of a descriptor's flags only: other commands have a signal sent to any process. */
#define MAY_ASK(call)                                                                              \
	IS(SYS_##call, 6), LOAD(args[1]), IS(F_GETFD, 1), ALLOW, IS(F_GETFL, 1), ALLOW, REFUSE

/* Does nothing where the kernel has no filters, or we may not have one. */
void
filter_begin(void)
{
	static struct sock_filter code[] = {
		LOAD(arch),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE, 1, 0),
		REFUSE,
		LOAD(nr),
		MAY(read),
		MAY(readv), /* musl's streams */
		MAY(pread64),
		MAY(lseek),
		MAY_ASK(fcntl),
		MAY(fstat),
		MAY(newfstatat),
		MAY(write),
		MAY_WITHOUT_CODE(mmap),
		MAY_WITHOUT_CODE(mprotect),
		MAY(munmap),
		MAY(mremap),
		MAY(madvise),
		MAY(brk),
		MAY(sysinfo), /* qsort asks how much memory there is */
		MAY(futex),
		MAY(getrandom),
		MAY(clock_gettime),
		MAY(exit_group),
		REFUSE,
	};
	const struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return; /* a sanitizer makes calls of its own */
#endif
	if (prctl(PR_SET_NO_NEW_PRIVS, 1UL, 0UL, 0UL, 0UL) == 0)
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
