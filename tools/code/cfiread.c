/*
 * Rows for the walk of call stacks, made from a program's call frame information (.eh_frame).  The
 * file is the target's, and DWARF is a language: elfutils reads it, and what compilers make of it
 * is kept.
 *
 * SPDX-License-Identifier: ISC
 */
#include "readcode.h"

#include "elfbytes.h"
#include "grow.h"
#include "machine.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>

/* What a file may claim. */
enum { MOST_ROWS = 1 << 20, MOST_BYTES = 64 << 20 };
/* How long the rows of one file may take, CPU time, and how often that is looked at: one row may be
 * made from 64 MiB of instructions, or have room for millions of registers. */
#define PATIENCE_NS (2 * NSEC)
enum { STEPS = 4 };

/* The table while it is being made. */
struct making {
	struct frame_row *row;
	size_t n;
	uint64_t until; /* CPU time, ns */
	unsigned steps;
	bool full, late;
};

static bool
is_over(struct making *m)
{
	if (m->steps++ % STEPS == 0)
		m->late = cpu_ns() >= m->until;
	return m->full || m->late;
}

static bool
fits(int64_t offset)
{
	return offset >= INT16_MIN && offset <= INT16_MAX;
}

/* "Register plus offset", as an expression of one operation. */
static bool
is_register(const Dwarf_Op *op, unsigned *reg, int64_t *offset)
{
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		*reg = op->atom - DW_OP_breg0;
		*offset = (int64_t)op->number;
		return true;
	}
	*reg = (unsigned)op->number;
	*offset = (int64_t)op->number2;
	return op->atom == DW_OP_bregx;
}

/* The linker writes one row for all its stubs: in the last bytes of each one word more is on the
 * stack, by an expression of the pc.  Those bytes run at a function's first call only. */
static bool
is_of_stubs(const Dwarf_Op *ops, size_t n)
{
	unsigned reg;
	int64_t offset;

	return n == 9 && is_register(&ops[1], &reg, &offset) && reg == machine_frames.ra &&
	       ops[2].atom == DW_OP_lit15 && ops[3].atom == DW_OP_and && ops[8].atom == DW_OP_plus;
}

static enum frame_rule
cfa_of(Dwarf_Frame *frame, struct frame_row *row)
{
	Dwarf_Op *ops;
	size_t n;
	unsigned reg;
	int64_t offset;

	if (dwarf_frame_cfa(frame, &ops, &n) != 0 || n == 0 ||
	    !is_register(&ops[0], &reg, &offset) || offset < INT32_MIN || offset > INT32_MAX)
		return FRAME_UNKNOWN;
	row->cfa = (int32_t)offset;
	if (reg == machine_frames.sp && (n == 1 || is_of_stubs(ops, n)))
		return FRAME_BY_SP;
	if (n == 1 && reg == machine_frames.fp)
		return FRAME_BY_FP;
	if (n == 1 && machine_frames.base != 0 && reg == machine_frames.base)
		return FRAME_BY_BASE;
	return n == 2 && reg == machine_frames.fp && ops[1].atom == DW_OP_deref ? FRAME_BY_SAVED
	                                                                        : FRAME_UNKNOWN;
}

/* Where a register is saved, from the CFA; 0: it is as it was.  False: in another way. */
static bool
saved_at(Dwarf_Frame *frame, unsigned reg, int16_t *at, bool *undefined)
{
	Dwarf_Op mem[3], *ops = NULL;
	size_t n = 0;

	*at = 0;
	*undefined = false;
	if (dwarf_frame_register(frame, (int)reg, mem, &ops, &n) != 0)
		return false;
	if (n == 0) {
		*undefined = ops != NULL;
		return true;
	}
	if (ops[0].atom != DW_OP_call_frame_cfa || n > 2)
		return false;
	if (n == 2 && (ops[1].atom != DW_OP_plus_uconst || !fits((int64_t)ops[1].number)))
		return false;
	*at = n == 2 ? (int16_t)(int64_t)ops[1].number : 0;
	return n == 2;
}

/* A frame of which one part is not known is not known. */
static enum frame_rule
rule_of(Dwarf_Frame *frame, bool signal, struct frame_row *row)
{
	enum frame_rule rule;
	bool undefined;

	if (signal)
		return FRAME_SIGNAL;
	if (saved_at(frame, machine_frames.ra, &row->ra, &undefined) && undefined)
		return FRAME_LAST;
	rule = cfa_of(frame, row);
	if (machine_frames.pushed != 0 && row->ra == 0)
		return FRAME_UNKNOWN;
	if (rule != FRAME_BY_SAVED && !saved_at(frame, machine_frames.fp, &row->fp, &undefined))
		return FRAME_UNKNOWN;
	if (machine_frames.base != 0)
		saved_at(frame, machine_frames.base, &row->base, &undefined);
	return rule;
}

static bool
is_same(const struct frame_row *a, const struct frame_row *b)
{
	return a->rule == b->rule && a->cfa == b->cfa && a->fp == b->fp && a->base == b->base &&
	       a->ra == b->ra;
}

static void
add_row(struct making *m, const struct frame_row *row)
{
	struct frame_row *more = m->n == MOST_ROWS ? NULL : grow(m->row, m->n, sizeof(*more));

	if (more == NULL) {
		m->full = true;
		return;
	}
	m->row = more;
	more[m->n++] = *row;
}

/* Adds the rows of one function. */
static void
add_function(struct making *m, Dwarf_CFI *cfi, uint64_t low, uint64_t high)
{
	while (low < high && !is_over(m)) {
		struct frame_row row = { .low = low };
		Dwarf_Addr start, end;
		Dwarf_Frame *frame;
		bool signal;

		if (dwarf_cfi_addrframe(cfi, low, &frame) != 0)
			break;
		dwarf_frame_info(frame, &start, &end, &signal);
		row.rule = (uint8_t)rule_of(frame, signal, &row);
		free(frame);
		add_row(m, &row);
		if (end <= low)
			break;
		low = end;
	}
	add_row(m, &(struct frame_row){ .low = high });
}

/* Of rows for one address the last one counts. */
static int
rank(const struct frame_row *row)
{
	switch ((enum frame_rule)row->rule) {
	case FRAME_UNKNOWN:
		return 0; /* a function's end is the next one's beginning */
	case FRAME_SAME:
		return 1;
	case FRAME_SIGNAL:
		return 3;
	default:
		return 2;
	}
}

static int
by_address(const void *a, const void *b)
{
	const struct frame_row *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return rank(x) - rank(y);
}

/* Sorts the rows, and drops those that say nothing new. */
static void
tidy(struct making *m)
{
	size_t n = 0;

	if (m->n > 0)
		qsort(m->row, m->n, sizeof(*m->row), by_address);
	for (size_t i = 0; i < m->n; i++) {
		const struct frame_row *last = n > 0 ? &m->row[n - 1] : NULL;
		struct frame_row row = m->row[i];
		const bool again = last != NULL && last->low == row.low;

		if (row.rule == FRAME_SAME) {
			row.rule = FRAME_UNKNOWN;
			if (last != NULL)
				row = *last;
			row.low = m->row[i].low;
			row.callee = m->row[i].callee;
		}
		if (again && row.callee == 0)
			row.callee = last->callee;
		if (again)
			m->row[n - 1] = row;
		else if (last == NULL || row.callee != 0 || !is_same(last, &row))
			m->row[n++] = row;
	}
	m->n = n;
}

/* Adds the rows of the function that an entry is about, by compilers' way to write its address:
 * relative to where that stands, in four bytes.  Of another address elfutils finds no rows, or
 * those that are right there. */
static void
take_entry(struct making *m, Dwarf_CFI *cfi, const Dwarf_FDE *entry, const Elf_Data *data,
           uint64_t base)
{
	const uint8_t *at = entry->start;
	int32_t distance;
	uint32_t len;
	uint64_t low;

	if (entry->end - at < (ptrdiff_t)(sizeof(distance) + sizeof(len)))
		return;
	memcpy(&distance, at, sizeof(distance));
	memcpy(&len, at + sizeof(distance), sizeof(len));
	low = base + (uint64_t)(at - (const uint8_t *)data->d_buf) + (uint64_t)(int64_t)distance;
	add_function(m, cfi, low, low + len);
}

static void
take_entries(struct making *m, Elf *elf, Dwarf_CFI *cfi, Elf_Data *data, uint64_t base)
{
	const uint8_t *ident = (const uint8_t *)elf_getident(elf, NULL);
	Dwarf_CFI_Entry entry;
	Dwarf_Off at = 0, next = 0;

	while (!is_over(m)) {
		const int ret = dwarf_next_cfi(ident, data, true, at, &next, &entry);
		if (ret > 0 || next <= at)
			break;
		if (ret == 0 && !dwarf_cfi_cie_p(&entry))
			take_entry(m, cfi, &entry.fde, data, base);
		at = next;
	}
}

/* The linker's stubs have no information: they jump on, with the stack as it was at the call. */
static void
take_stubs(struct making *m, const GElf_Shdr *section)
{
	const struct frame_row row = {
		.low = section->sh_addr,
		.rule = FRAME_BY_SP,
		.cfa = machine_frames.pushed,
		.ra = (int16_t)-machine_frames.pushed,
	};

	add_row(m, &row);
	add_row(m, &(struct frame_row){ .low = section->sh_addr + section->sh_size });
}

static void
take_section(struct making *m, Dwarf_CFI *cfi, const struct elfsection *s)
{
	Elf_Data *data;

	if (s->header.sh_type == SHT_NOBITS)
		return;
	if (strncmp(s->name, ".plt", 4) == 0 || strcmp(s->name, ".iplt") == 0)
		take_stubs(m, &s->header);
	if (strcmp(s->name, ".eh_frame") != 0 || cfi == NULL)
		return;
	data = elfbytes(s->section, MOST_BYTES);
	if (data != NULL)
		take_entries(m, s->elf, cfi, data, s->header.sh_addr);
}

/* Adds rows for code that has no call frame information. */
static void
take_rest(struct making *m, Elf *elf)
{
	const struct frame_rows known = { m->row, m->n };
	struct frame_row *rest;
	size_t n;

	rest = coderead(elf, &known, m->until, &n);
	for (size_t i = 0; i < n; i++)
		add_row(m, &rest[i]);
	free(rest);
	if (n > 0)
		tidy(m);
}

/* Returns the rows of a program, sorted; NULL if there are none.  The caller frees them. */
struct frame_row *
cfiread(Elf *elf, size_t *n)
{
	struct making m = { .until = cpu_ns() + PATIENCE_NS };
	Dwarf_CFI *cfi = dwarf_getcfi_elf(elf);
	struct elfsection at = elfsection_begin(elf);

	while (elfsection_next(&at) && !is_over(&m))
		take_section(&m, cfi, &at);
	if (cfi != NULL)
		dwarf_cfi_end(cfi);
	tidy(&m);
	take_rest(&m, elf);
	*n = m.n;
	return m.row;
}
