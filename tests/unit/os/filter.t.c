/*
 * filter.c: filters of system calls as the kernel would run them.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"
#include "tap.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

#define N(array)    (sizeof(array) / sizeof((array)[0]))
#define LOAD(what)  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, what))
#define IS(k, n, m) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, k, n, m)
#define RETURN(k)   BPF_STMT(BPF_RET | BPF_K, k)

static bool
allows(const struct sock_filter *program, size_t n, int nr, uint64_t second)
{
	const struct seccomp_data data = { .nr = nr,
		                           .arch = AUDIT_ARCH_X86_64,
		                           .args = { 3, second, 100 } };

	return filter_allows(program, n, &data);
}

static void
test_answers(void)
{
	static const struct {
		uint32_t answer;
		bool yes;
		const char *what;
	} cases[] = {
		{ SECCOMP_RET_ALLOW, true, "allow" },
		{ SECCOMP_RET_LOG, true, "log" },
		{ SECCOMP_RET_ERRNO | 11, false, "an error in the kernel's place" },
		{ SECCOMP_RET_USER_NOTIF, false, "a broker" },
		{ SECCOMP_RET_TRACE, false, "a tracer" },
		{ SECCOMP_RET_TRAP, false, "a trap" },
		{ SECCOMP_RET_KILL_THREAD, false, "a thread's end" },
		{ SECCOMP_RET_KILL_PROCESS, false, "a process's end" },
	};

	for (size_t i = 0; i < N(cases); i++) {
		const struct sock_filter program[] = { RETURN(cases[i].answer) };

		is_int(allows(program, 1, SYS_write, 0), cases[i].yes, "%s", cases[i].what);
	}
}

static void
test_programs(void)
{
	const struct sock_filter one_call[] = {
		LOAD(arch),          IS(AUDIT_ARCH_X86_64, 0, 3), LOAD(nr),
		IS(SYS_write, 0, 1), RETURN(SECCOMP_RET_ALLOW),   RETURN(SECCOMP_RET_KILL_PROCESS)
	};
	const struct sock_filter high_half[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]) + 4),
		IS(0x12, 0, 1), RETURN(SECCOMP_RET_ALLOW), RETURN(SECCOMP_RET_ERRNO)
	};
	const struct sock_filter by_answer[] = { LOAD(nr),
		                                 BPF_STMT(BPF_ST, 3),
		                                 BPF_STMT(BPF_LDX | BPF_MEM, 3),
		                                 BPF_STMT(BPF_LD | BPF_IMM, SECCOMP_RET_ALLOW),
		                                 BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),
		                                 BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, SYS_write),
		                                 BPF_STMT(BPF_RET | BPF_A, 0) };
	const struct sock_filter over[] = { LOAD(nr), BPF_STMT(BPF_JMP | BPF_JA, 1),
		                            RETURN(SECCOMP_RET_ERRNO), RETURN(SECCOMP_RET_ALLOW) };

	ok(allows(one_call, N(one_call), SYS_write, 0), "a list of calls: one that is on it");
	ok(!allows(one_call, N(one_call), SYS_read, 0), "and one that is not");
	ok(allows(high_half, N(high_half), SYS_write, 0x1200000034), "the upper half of a word");
	ok(!allows(high_half, N(high_half), SYS_write, 0x34), "which is another one's");
	ok(allows(by_answer, N(by_answer), SYS_write, 0), "memory, arithmetic, an answer in A");
	ok(allows(over, N(over), SYS_write, 0), "a jump over the next one");
}

/* 0xf0f0 and `k`, which is also in X. */
static void
test_arithmetic(void)
{
	static const struct {
		uint16_t op;
		uint32_t k, want;
		const char *what;
	} cases[] = {
		{ BPF_ADD, 0xffffffff, 0xf0ef, "a sum" },
		{ BPF_SUB, 0xf0f1, 0xffffffff, "a difference" },
		{ BPF_MUL, 0x20001, 0xe1e0f0f0, "a product" },
		{ BPF_DIV, 7, 0x226b, "a quotient" },
		{ BPF_AND, 0xff00, 0xf000, "and" },
		{ BPF_OR, 0xff00, 0xfff0, "or" },
		{ BPF_XOR, 0xff00, 0x0ff0, "exclusive or" },
		{ BPF_LSH, 20, 0x0f000000, "to the left" },
		{ BPF_RSH, 4, 0x0f0f, "to the right" },
		{ BPF_NEG, 0, 0xffff0f10, "the negative" },
	};

	for (size_t i = 0; i < 2 * N(cases); i++) {
		const bool x = i >= N(cases);
		const uint32_t k = cases[i % N(cases)].k;
		const struct sock_filter program[] = {
			BPF_STMT(BPF_LDX | BPF_IMM, x ? k : 1),
			BPF_STMT(BPF_LD | BPF_IMM, 0xf0f0),
			BPF_STMT(BPF_ALU | cases[i % N(cases)].op | (x ? BPF_X : BPF_K), x ? 1 : k),
			IS(cases[i % N(cases)].want, 0, 1),
			RETURN(SECCOMP_RET_ALLOW),
			RETURN(SECCOMP_RET_KILL_PROCESS),
		};

		ok(allows(program, N(program), 0, 0), "%s%s", cases[i % N(cases)].what,
		   x ? ", of X" : "");
	}
}

/* Jumps, of an A of 5, to an answer of yes. */
static void
test_jumps(void)
{
	static const struct {
		uint16_t op;
		uint32_t k;
		bool yes;
		const char *what;
	} cases[] = {
		{ BPF_JEQ, 5, true, "equal" },         { BPF_JEQ, 4, false, "not equal" },
		{ BPF_JGT, 4, true, "greater" },       { BPF_JGT, 5, false, "not greater" },
		{ BPF_JGE, 5, true, "not less" },      { BPF_JGE, 6, false, "less" },
		{ BPF_JSET, 6, true, "a bit is set" }, { BPF_JSET, 2, false, "no bit is" },
	};

	for (size_t i = 0; i < N(cases); i++) {
		const struct sock_filter program[] = {
			BPF_STMT(BPF_LD | BPF_IMM, 5),
			BPF_JUMP(BPF_JMP | cases[i].op | BPF_K, cases[i].k, 0, 1),
			RETURN(SECCOMP_RET_ALLOW),
			RETURN(SECCOMP_RET_KILL_PROCESS),
		};

		is_int(allows(program, N(program), 0, 0), cases[i].yes, "%s", cases[i].what);
	}
}

static void
test_registers(void)
{
	const struct sock_filter there[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
		BPF_STMT(BPF_MISC | BPF_TAX, 0),
		BPF_STMT(BPF_LD | BPF_IMM, 1),
		BPF_STMT(BPF_STX, 2),
		BPF_STMT(BPF_MISC | BPF_TXA, 0),
		IS(sizeof(struct seccomp_data), 0, 3),
		BPF_STMT(BPF_LD | BPF_MEM, 2),
		IS(sizeof(struct seccomp_data), 0, 1),
		RETURN(SECCOMP_RET_ALLOW),
		RETURN(SECCOMP_RET_KILL_PROCESS),
	};

	ok(allows(there, N(there), 0, 0), "the length, from A to X, to memory and back");
}

static void
test_strange(void)
{
	const struct sock_filter endless[] = { LOAD(nr) };
	const struct sock_filter far[] = { BPF_STMT(BPF_JMP | BPF_JA, 0x7fffffff),
		                           RETURN(SECCOMP_RET_ALLOW) };
	const struct sock_filter outside[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64),
		                               RETURN(SECCOMP_RET_ALLOW) };
	const struct sock_filter divides[] = { BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0),
		                               RETURN(SECCOMP_RET_ALLOW) };
	const struct sock_filter memory[] = { BPF_STMT(BPF_ST, BPF_MEMWORDS),
		                              RETURN(SECCOMP_RET_ALLOW) };

	ok(!allows(endless, 1, SYS_write, 0), "no answer is a no");
	ok(!allows(endless, 0, SYS_write, 0), "nor is no program one");
	ok(!allows(far, 2, SYS_write, 0), "a jump behind the end");
	ok(!allows(outside, 2, SYS_write, 0), "a word that is not there");
	ok(!allows(divides, 2, SYS_write, 0), "a division by 0");
	ok(!allows(memory, 2, SYS_write, 0), "memory that is not there");
}

int
main(void)
{
	test_answers();
	test_programs();
	test_arithmetic();
	test_jumps();
	test_registers();
	test_strange();
	return done_testing();
}
