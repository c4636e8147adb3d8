/*
 * What the programs that sandbox themselves share: a known number of calls, enough CPU time to be
 * sampled in a known ratio, and a mark in their system calls that says where main() begins.  No
 * libc state and no system call in the work itself: any sandbox lets it through.
 *
 * The same source is also built without -pg, to compare the two.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef SANDBOX_H
#define SANDBOX_H

#include "../filter.h"

#include <linux/audit.h>
#include <sys/resource.h>

/* tests/lib/sandbox.sh knows the first two. */
enum { HOT_CALLS = 25003, COOL_CALLS = 2 * HOT_CALLS, HOT_SPINS = 280, COOL_SPINS = 60 };

/* With SANDBOX_LONGER in the environment all of it takes ten times as long: a fifth of a second,
 * which has samples enough. */
enum { LONGER = 10 };
static int longer = 1;

#define SPIN(n)                                                                                    \
	for (volatile int spun = 0; spun < (n); spun++)                                            \
	continue

__attribute__((noinline)) void
hot(void)
{
	SPIN(longer * HOT_SPINS);
}

__attribute__((noinline)) void
cool(void)
{
	SPIN(longer * COOL_SPINS);
}

/* 70 % of the time in hot(), 30 % in cool(). */
__attribute__((noinline)) void
work(void)
{
	for (int i = 0; i < HOT_CALLS; i++) {
		hot();
		cool();
		cool();
	}
}

/* The first thing in each main(): tests/lib/trace.pl looks for it. */
static inline void
main_begins(void)
{
	(void)!write(-1, "main", 4);
	if (getenv("SANDBOX_LONGER") != NULL)
		longer = LONGER;
}

/* A line on stdout, by write(2) alone. */
static inline void
say(const char *line)
{
	char text[256];
	size_t len = strlen(line);

	if (len > sizeof(text) - 1)
		len = sizeof(text) - 1;
	memcpy(text, line, len);
	text[len++] = '\n';
	(void)!write(STDOUT_FILENO, text, len);
}

/* Set-up that must work, or there is no sandbox to test. */
static inline void
must(int ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "%s: %s\n", what, strerror(errno));
		_exit(99);
	}
}

/* Something the sandbox must refuse. */
static inline void
say_refused(int refused, const char *what)
{
	char line[128];

	snprintf(line, sizeof(line), "%s: %s", what, refused ? strerror(errno) : "not refused");
	say(line);
}

#if defined(__x86_64__)
#define SANDBOX_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SANDBOX_ARCH AUDIT_ARCH_AARCH64
#endif

/* A filter that lets the `n` numbers of `allowed` through, answers the `m` of `refused` by EPERM
 * and kills the process for all others. */
static inline void
filter(const int *allowed, int n, const int *refused, int m)
{
	struct sock_filter code[64];
	unsigned len = 0;

#define ADD(...) code[len++] = (struct sock_filter)__VA_ARGS__
	ADD(LOAD(arch));
	ADD(IS(SANDBOX_ARCH, 1, 0));
	ADD(RETURN(SECCOMP_RET_KILL_PROCESS));
	ADD(LOAD(nr));
	for (int i = 0; i < n; i++) {
		ADD(IS((unsigned)allowed[i], 0, 1));
		ADD(RETURN(SECCOMP_RET_ALLOW));
	}
	for (int i = 0; i < m; i++) {
		ADD(IS((unsigned)refused[i], 0, 1));
		ADD(RETURN(SECCOMP_RET_ERRNO | EPERM));
	}
	ADD(RETURN(SECCOMP_RET_KILL_PROCESS));
#undef ADD
	must(filter_install(code, len, 0) == 0, "seccomp");
}

#endif
