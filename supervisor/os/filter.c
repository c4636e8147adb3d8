/*
 * Would a thread's own filters of system calls let a call through?  Pure.
 *
 * A filter is a program of classic BPF that looks at the call's number and arguments
 * (linux/seccomp.h).  An instruction that is not understood counts as a no.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <linux/bpf_common.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>

struct machine {
	uint32_t a, x, mem[BPF_MEMWORDS];
};

static bool
compute(struct machine *m, const struct sock_filter *i)
{
	const uint32_t v = BPF_SRC(i->code) == BPF_X ? m->x : i->k;

	switch (BPF_OP(i->code)) {
	case BPF_ADD:
		m->a += v;
		return true;
	case BPF_SUB:
		m->a -= v;
		return true;
	case BPF_MUL:
		m->a *= v;
		return true;
	case BPF_DIV:
		m->a = v == 0 ? 0 : m->a / v;
		return v != 0;
	case BPF_AND:
		m->a &= v;
		return true;
	case BPF_OR:
		m->a |= v;
		return true;
	case BPF_XOR:
		m->a ^= v;
		return true;
	case BPF_LSH:
		m->a = v < 32 ? m->a << v : 0;
		return v < 32;
	case BPF_RSH:
		m->a = v < 32 ? m->a >> v : 0;
		return v < 32;
	case BPF_NEG:
		m->a = -m->a;
		return true;
	default:
		return false;
	}
}

static bool
load(struct machine *m, const struct sock_filter *i, const struct seccomp_data *data)
{
	uint32_t *to = BPF_CLASS(i->code) == BPF_LDX ? &m->x : &m->a;

	switch (BPF_MODE(i->code)) {
	case BPF_ABS:
		if (i->k % sizeof(*to) != 0 || i->k > sizeof(*data) - sizeof(*to))
			return false;
		memcpy(to, (const uint8_t *)data + i->k, sizeof(*to));
		return true;
	case BPF_IMM:
		*to = i->k;
		return true;
	case BPF_LEN:
		*to = sizeof(*data);
		return true;
	case BPF_MEM:
		if (i->k >= BPF_MEMWORDS)
			return false;
		*to = m->mem[i->k];
		return true;
	default:
		return false;
	}
}

static bool
holds(const struct machine *m, const struct sock_filter *i)
{
	const uint32_t v = BPF_SRC(i->code) == BPF_X ? m->x : i->k;

	switch (BPF_OP(i->code)) {
	case BPF_JEQ:
		return m->a == v;
	case BPF_JGT:
		return m->a > v;
	case BPF_JGE:
		return m->a >= v;
	default:
		return (m->a & v) != 0; /* BPF_JSET */
	}
}

/* Executes an instruction that is neither a jump nor a return. */
static bool
step(struct machine *m, const struct sock_filter *i, const struct seccomp_data *data)
{
	switch (BPF_CLASS(i->code)) {
	case BPF_LD:
	case BPF_LDX:
		return load(m, i, data);
	case BPF_ST:
	case BPF_STX:
		if (i->k >= BPF_MEMWORDS)
			return false;
		m->mem[i->k] = BPF_CLASS(i->code) == BPF_ST ? m->a : m->x;
		return true;
	case BPF_ALU:
		return compute(m, i);
	case BPF_MISC:
		if (BPF_MISCOP(i->code) == BPF_TAX)
			m->x = m->a;
		else
			m->a = m->x;
		return true;
	default:
		return false;
	}
}

static bool
is_yes(uint32_t answer)
{
	const uint32_t action = answer & SECCOMP_RET_ACTION_FULL;

	return action == SECCOMP_RET_ALLOW || action == SECCOMP_RET_LOG;
}

bool
filter_allows(const struct sock_filter *program, size_t n, const struct seccomp_data *data)
{
	struct machine m = { 0 };

	for (size_t at = 0; at < n; at++) {
		const struct sock_filter *i = &program[at];

		if (BPF_CLASS(i->code) == BPF_RET)
			return is_yes(BPF_RVAL(i->code) == BPF_A ? m.a : i->k);
		if (i->code == (BPF_JMP | BPF_JA))
			at += i->k;
		else if (BPF_CLASS(i->code) == BPF_JMP)
			at += holds(&m, i) ? i->jt : i->jf;
		else if (!step(&m, i, data))
			return false;
	}
	return false;
}
