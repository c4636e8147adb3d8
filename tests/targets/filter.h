/*
 * seccomp filters.  Inlined everywhere, so that no function of a target is added.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef FILTER_H
#define FILTER_H

#include "program.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

#define LOAD(what)     BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define IS(k, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (k), (yes), (no))
#define RETURN(what)   BPF_STMT(BPF_RET | BPF_K, (what))

/* A filter that answers one system call, and lets all others through. */
#define FILTER_CALL(number, action)                                                                \
	LOAD(nr), IS(number, 0, 1), RETURN(action), RETURN(SECCOMP_RET_ALLOW)

/* Returns what seccomp(2) does; nobody needs privileges. */
IN_PLACE int
filter_install(const struct sock_filter *code, size_t n, unsigned flags)
{
	const struct sock_fprog prog = { (unsigned short)n, (struct sock_filter *)(uintptr_t)code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &prog);
}

IN_PLACE int
filter_call(int number, unsigned action, unsigned flags)
{
	const struct sock_filter code[] = { FILTER_CALL(number, action) };

	return filter_install(code, 4, flags);
}

#endif
