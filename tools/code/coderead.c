/*
 * Rows for code without call frame information, such as musl's: where its functions begin, and
 * which addresses the calls of them return to.  The walk looks for such an address on the stack,
 * but for functions that make a frame pointer.
 *
 * SPDX-License-Identifier: ISC
 */
#include "readcode.h"

#include "elfbytes.h"
#include "machine.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* What a file may claim. */
enum {
	MOST_ROWS = 1 << 18,
	MOST_STARTS = 1 << 16,
	MOST_BYTES = 64 << 20,   /* of code */
	MOST_SYMBOLS = 256 << 20 /* bytes of symbols, and of their names */
};
/* So many functions without information are every program's: those of the compiler's start files.
 */
enum { FEW = 16 };
/* Bytes of code after which the time is looked at. */
enum { CHUNK = 1 << 16 };

struct code {
	const struct frame_rows *known;
	struct frame_row *row; /* room for MOST_ROWS */
	size_t n;
	uint32_t *start; /* of functions without a row, sorted; room for MOST_STARTS */
	size_t nstarts;
	uint64_t until; /* CPU time, ns */
};

static bool
is_known(const struct code *c, uint64_t pc)
{
	return frame_row_at(c->known, pc)->rule != FRAME_UNKNOWN;
}

static void
add(struct code *c, struct frame_row row)
{
	if (c->n < MOST_ROWS)
		c->row[c->n++] = row;
}

/* What each goroutine of Go's ends in. */
static bool
is_goexit(const char *name)
{
	return strcmp(name, "runtime.goexit.abi0") == 0 || strcmp(name, "runtime.goexit") == 0;
}

/* What a program, or a thread, begins with, and which has no caller. */
static bool
is_outermost(const char *name)
{
	return strcmp(name, "_start") == 0 || strcmp(name, "__clone") == 0 || is_goexit(name);
}

static void
take_function(struct code *c, const GElf_Sym *symbol, const char *name)
{
	const uint64_t low = symbol->st_value, high = low + symbol->st_size;

	if (GELF_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
	    low > UINT32_MAX || high > UINT32_MAX || is_known(c, low) || c->nstarts == MOST_STARTS)
		return;
	c->start[c->nstarts++] = (uint32_t)low;
	add(c, (struct frame_row){ .low = low,
	                           .rule = is_outermost(name) ? FRAME_OUTERMOST : FRAME_SCAN,
	                           .cfa = (int32_t)(uint32_t)low });
	/* A goroutine's function returns behind the first instruction there, which is no call. */
	if (is_goexit(name) && high > low + 1)
		add(c, (struct frame_row){
			   .low = low + 1, .rule = FRAME_SAME, .callee = FRAME_CALLS_ANY });
	if (high > low && !is_known(c, high))
		add(c, (struct frame_row){ .low = high });
}

static int
by_value(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void
take_symbols(struct code *c, Elf *elf)
{
	struct elfsymbols s;

	if (!elfsymbols_begin(&s, elf, SHT_SYMTAB, MOST_SYMBOLS))
		return;
	while (elfsymbols_next(&s)) {
		if (s.next % CHUNK == 0 && cpu_ns() >= c->until)
			return;
		take_function(c, &s.symbol, s.name);
	}
}

/* Notes that the call before `pc` is one of `callee`. */
static void
take_call(struct code *c, uint64_t pc, uint32_t callee)
{
	if (callee == FRAME_CALLS_ANY ||
	    bsearch(&callee, c->start, c->nstarts, sizeof(callee), by_value) != NULL)
		add(c, (struct frame_row){ .low = pc, .rule = FRAME_SAME, .callee = callee });
}

/* Notes that the function has a frame pointer from `pc` on, as those of node's have that its
 * compiler of JavaScript made.  It is taken to be there to the function's end, which is wrong for
 * an instruction or two. */
static void
take_frame(struct code *c, uint64_t pc)
{
	const int16_t word = sizeof(uint64_t);

	if (!is_known(c, pc))
		add(c, (struct frame_row){ .low = pc,
		                           .rule = FRAME_BY_FP,
		                           .cfa = 2 * word,
		                           .fp = -2 * word,
		                           .ra = -word });
}

/* An instruction may be seen in the middle of another one: such a call is of no function's
 * beginning, or one more that a walk takes for possible. */
static void
take_code(struct code *c, const uint8_t *code, size_t len, uint64_t addr)
{
	for (size_t i = 0; i < len && c->n < MOST_ROWS; i++) {
		int32_t distance = 0;
		const unsigned bytes = machine_call_at(code + i, len - i, &distance);
		const unsigned framed = machine_frame_made_at(code + i, len - i);
		const uint64_t next = addr + i + bytes;

		if (i % CHUNK == 0 && cpu_ns() >= c->until)
			return;
		if (bytes != 0)
			take_call(c, next,
			          distance == 0 ? FRAME_CALLS_ANY
			                        : (uint32_t)next + (uint32_t)distance);
		else if (framed != 0)
			take_frame(c, addr + i + framed);
		else if (machine_sigreturn_at(code + i, len - i) && !is_known(c, addr + i))
			add(c, (struct frame_row){ .low = addr + i, .rule = FRAME_SIGNAL });
	}
}

static void
take_section(struct code *c, const struct elfsection *s)
{
	const Elf_Data *data;

	if (s->header.sh_type != SHT_PROGBITS || (s->header.sh_flags & SHF_EXECINSTR) == 0)
		return;
	data = elfbytes(s->section, MOST_BYTES);
	if (data != NULL && data->d_buf != NULL)
		take_code(c, data->d_buf, data->d_size, s->header.sh_addr);
}

static void
take_sections(struct code *c, Elf *elf)
{
	struct elfsection at = elfsection_begin(elf);

	while (cpu_ns() < c->until && elfsection_next(&at))
		take_section(c, &at);
}

/* Returns the rows, in any order; NULL if there are none.  `known`: those of call frame
 * information; `until`: CPU time of this process, ns.  The caller frees them. */
struct frame_row *
coderead(Elf *elf, const struct frame_rows *known, uint64_t until, size_t *n)
{
	struct code c = { .known = known, .until = until };

	*n = 0;
	c.row = calloc(MOST_ROWS, sizeof(*c.row));
	c.start = calloc(MOST_STARTS, sizeof(*c.start));
	if (c.row != NULL && c.start != NULL) {
		take_symbols(&c, elf);
		if (c.nstarts <= FEW) {
			c.n = 0;
		} else {
			qsort(c.start, c.nstarts, sizeof(*c.start), by_value);
			take_sections(&c, elf);
		}
	}
	free(c.start);
	*n = c.n;
	return c.row;
}
