/*
 * The functions of a program, for call stacks, read from its file and written down as a table.  The
 * file is the target's, so what is read is bounded, and nothing is mapped.
 *
 * SPDX-License-Identifier: ISC
 */
#include "readcode.h"

#include "elfbytes.h"
#include "functions.h"
#include "grow.h"
#include "write_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a file may claim. */
enum {
	MOST_SECTIONS = 4096,
	MOST_SYMBOLS = 1 << 20,
	MOST_BYTES = 256 << 20,     /* bytes of symbols, and of their names, or of a map of code */
	MOST_LINE = 32 << 10,       /* bytes of a line of such a map: a longer one is several */
	MOST_SHOWN = 1000,          /* bytes of a name in the table */
	MOST_KEPT = CODETABLE_BYTES /* bytes of the table */
};
/* How long names are demangled, CPU time, and how often that is looked at. */
#define PATIENCE_NS (4 * NSEC)
enum { STEPS = 64 };

/* The table while it is being made. */
struct making {
	size_t nfunctions;
	struct codetable_span *spans; /* sorted, and no two overlap */
	size_t nspans;
	char *names;
	size_t nnames, room;
	uint64_t until; /* CPU time at which no more names are demangled, ns */
	bool late;
	size_t kept; /* bytes of the table so far */
	bool too_much;
	struct frame_row *rows; /* for call stacks */
	size_t nrows;
	uint64_t main_low, main_bytes;
	struct codetable_segment segment[CODETABLE_SEGMENTS];
	size_t nsegments;
	struct demangled demangled;
};

/* Counts what the table takes: a million symbols may have the same long name.  False: no more. */
static bool
keep(struct making *m, size_t bytes)
{
	m->kept += bytes;
	m->too_much |= m->kept > MOST_KEPT;
	return !m->too_much;
}

/* How much of a symbol's name is kept: not its version, "memcpy@@GLIBC_2.14". */
static size_t
kept_of(const char *name)
{
	const size_t len = strnlen(name, MOST_SHOWN);
	const char *version = memchr(name, '@', len);

	return version == NULL || version == name ? len : (size_t)(version - name);
}

/* Adds a name, and returns its place among the names. */
static uint32_t
add_name(struct making *m, const char *name, size_t len)
{
	const size_t at = m->nnames;
	char *more = m->names;

	if (at + len + 1 > m->room)
		more = realloc(m->names, m->room = 2 * m->room + len + 1);
	if (more == NULL) {
		m->too_much = true;
		return 0;
	}
	m->names = more;
	memcpy(m->names + at, name, len);
	m->names[at + len] = '\0';
	symname_clean(m->names + at);
	m->nnames = at + strlen(m->names + at) + 1;
	return (uint32_t)at;
}

static uint32_t
add_function(struct making *m, const char *name, size_t most)
{
	const size_t len = strnlen(name, most);

	if (m->too_much || !keep(m, len + 1))
		return 0;
	m->nfunctions++;
	return add_name(m, name, len);
}

static uint32_t
take_function(void *arg, const char *name, const struct code_symbol *symbol, uint64_t low,
              uint64_t high)
{
	struct making *m = arg;
	char section[64];

	if (symbol != NULL && strcmp(name, "main") == 0) {
		m->main_low = low;
		m->main_bytes = high - low;
	}
	if (symbol == NULL) {
		snprintf(section, sizeof(section), "[%.60s]", name);
		name = section;
	} else if (!m->too_much && !m->late) {
		name = symname_demangle(name, &m->demangled);
		if (m->nfunctions % STEPS == 0)
			m->late = cpu_ns() >= m->until;
	}
	return add_function(m, name, symbol != NULL ? kept_of(name) : MOST_SHOWN);
}

static void
take_span(void *arg, uint64_t low, uint64_t high, uint32_t function)
{
	struct making *m = arg;
	struct codetable_span *spans;

	if (m->too_much || !keep(m, sizeof(*spans)))
		return;
	spans = grow(m->spans, m->nspans, sizeof(*spans));
	if (spans == NULL) {
		m->too_much = true;
		return;
	}
	m->spans = spans;
	spans[m->nspans++] = (struct codetable_span){ low, high, function, 0 };
}

static void
find_sections(Elf *elf, struct code *code)
{
	struct elfsection at = elfsection_begin(elf);

	code->sections = calloc(MOST_SECTIONS, sizeof(*code->sections));
	while (code->sections != NULL && code->nsections < MOST_SECTIONS && elfsection_next(&at))
		code->nsections +=
		    code_take_section(&code->sections[code->nsections], &at.header, at.name);
	code_sort_sections(code);
}

/* Adds the symbols of one kind of table.  False: there is none that can be read. */
static bool
find_symbols(Elf *elf, unsigned type, struct code *code)
{
	struct elfsymbols s;

	if (!elfsymbols_begin(&s, elf, type, MOST_BYTES) || s.table == NULL)
		return false;
	while (s.next < MOST_SYMBOLS && elfsymbols_next(&s)) {
		struct code_symbol *more = grow(code->symbols, code->nsymbols, sizeof(*more));

		if (more == NULL)
			break;
		code->symbols = more;
		code->nsymbols += code_take_symbol(code, &more[code->nsymbols], &s.symbol, s.name);
	}
	return true;
}

/* Where there are no symbols for debuggers, there are those for the dynamic linker. */
static void
find_names(Elf *elf, Elf *debug, struct code *code)
{
	if (!find_symbols(elf, SHT_SYMTAB, code) &&
	    (debug == NULL || !find_symbols(debug, SHT_SYMTAB, code)))
		find_symbols(elf, SHT_DYNSYM, code);
}

static void
find_segments(struct making *m, Elf *elf)
{
	size_t n;

	if (elf_getphdrnum(elf, &n) != 0)
		return;
	for (size_t i = 0; i < n && m->nsegments < CODETABLE_SEGMENTS; i++) {
		GElf_Phdr ph;

		if (gelf_getphdr(elf, (int)i, &ph) != NULL && ph.p_type == PT_LOAD &&
		    (ph.p_flags & PF_X) != 0)
			m->segment[m->nsegments++] =
			    (struct codetable_segment){ ph.p_offset, ph.p_filesz, ph.p_vaddr };
	}
}

static Elf *
open_elf(int fd)
{
	return fd < 0 ? NULL : elf_begin(fd, ELF_C_READ, NULL);
}

static int
make(struct making *m, int file, int debug, bool names)
{
	struct code code = { 0 };
	Elf *elf = open_elf(file), *symbols = open_elf(debug);
	const bool is_elf = elf != NULL && elf_kind(elf) == ELF_K_ELF;

	m->until = cpu_ns() + PATIENCE_NS;
	add_function(m, "[unknown]", MOST_SHOWN);
	if (is_elf) {
		find_segments(m, elf);
		if (names) {
			find_sections(elf, &code);
			find_names(elf, symbols, &code);
			code_choose(&code);
			code_cover(&code, &(struct code_taker){ m, take_function, take_span });
		}
		m->rows = cfiread(elf, &m->nrows);
	}
	free(code.sections);
	free(code.symbols);
	elf_end(symbols);
	elf_end(elf);
	return is_elf ? 0 : -1;
}

/* An incomplete table counts as none. */
static int
write_down(const struct making *m, int table)
{
	struct codetable_head head = {
		.version = CODETABLE_VERSION,
		.spans = (uint32_t)m->nspans,
		.rows = m->nrows,
		.main_low = m->main_low,
		.main_bytes = m->main_bytes,
		.names = m->nnames,
	};
	const size_t spans = m->nspans * sizeof(m->spans[0]), rows = m->nrows * sizeof(m->rows[0]);

	memcpy(head.segment, m->segment, sizeof(head.segment));
	if (m->too_much || m->nnames == 0 ||
	    sizeof(head) + spans + rows + m->nnames > CODETABLE_BYTES)
		return -1;
	return write_all(table, &head, sizeof(head)) < 0 || write_all(table, m->spans, spans) < 0 ||
	               write_all(table, m->rows, rows) < 0 ||
	               write_all(table, m->names, m->nnames) < 0
	           ? -1
	           : 0;
}

static int
by_low(const void *a, const void *b)
{
	const struct codetable_span *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

/* Code that was made anew has the place of all that was there before, whole or in part: the later
 * line counts. */
static void
settle_spans(struct making *m)
{
	size_t n = 0;

	if (m->nspans > 0)
		qsort(m->spans, m->nspans, sizeof(*m->spans), by_low);
	for (size_t i = 0; i < m->nspans; i++) {
		const struct codetable_span s = m->spans[i];

		while (n > 0 && m->spans[n - 1].high > s.low &&
		       m->spans[n - 1].function < s.function)
			n--;
		if (n == 0 || m->spans[n - 1].high <= s.low)
			m->spans[n++] = s;
	}
	m->nspans = n;
}

/* Takes "START SIZE NAME", the numbers in hexadecimal. */
static void
take_map_line(struct making *m, char *line)
{
	char *at;
	const uint64_t low = strtoull(line, &at, 16);
	const uint64_t bytes = *at == ' ' ? strtoull(at, &at, 16) : 0;

	if (bytes == 0 || low + bytes < low || *at != ' ')
		return;
	at[1 + strcspn(at + 1, "\r\n")] = '\0';
	take_span(m, low, low + bytes, add_function(m, at + 1, MOST_SHOWN));
}

/* Writes the table of a map of code that a program has made (/tmp/perf-PID.map). */
int
symread_map(int map, int table)
{
	struct making *m = calloc(1, sizeof(*m));
	FILE *f = m == NULL ? NULL : fdopen(map, "r");
	char *line = malloc(MOST_LINE);
	int ret = -1;

	if (f != NULL && line != NULL) {
		add_function(m, "[unknown]", MOST_SHOWN);
		/* What is too long is split, so that it takes no memory. */
		while (!m->too_much && ftello(f) < MOST_BYTES && fgets(line, MOST_LINE, f) != NULL)
			take_map_line(m, line);
		settle_spans(m);
		ret = write_down(m, table);
		free(m->spans);
		free(m->names);
	}
	if (f != NULL)
		fclose(f);
	free(line);
	free(m);
	return ret;
}

/* Writes the table of a file, with or without the names of its functions.  `debug`: the file with
 * its symbols, or -1. */
int
symread(int file, int debug, bool names, int table)
{
	struct making *m = calloc(1, sizeof(*m));
	int ret;

	if (m == NULL)
		return -1;
	elf_version(EV_CURRENT);
	ret =
	    !elfbytes_counted(file) || make(m, file, debug, names) < 0 ? -1 : write_down(m, table);
	free(m->spans);
	free(m->rows);
	free(m->names);
	free(m);
	return ret;
}
