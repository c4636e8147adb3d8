/*
 * The program's functions and what code is theirs, read from its file; the rules are those of
 * common/functions.c.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "elfbytes.h"
#include "functions.h"
#include "search.h"

#include <elf.h>
#include <endian.h>
#include <err.h>
#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a file may claim.  Nothing is read twice that is not small: sections may overlap. */
enum {
	MOST_SECTIONS = 64 << 10,
	MOST_SECTION_NAME = 200,
	MOST_SYMBOLS = 2 << 20, /* of code */
	MOST_TABLE = 512 << 20  /* bytes: of symbols, and of their names */
};

struct elf {
	const char *program;
	int fd;
	Elf *elf;
	int debug_fd;
	bool exported;
	Elf *debug; /* the file with what was stripped; NULL: nothing was, or there is none */
	struct code code;
	uint64_t runtime_low, runtime_high;
};

static void
open_program(struct elf *e, const char *program)
{
	const char *wrong;
	struct stat st;

	e->fd = regular_open(program, &st);
	if (e->fd < 0 && errno == ENOTSUP)
		errx(EXIT_BAD, "%s: not a regular file", e->program);
	if (e->fd < 0)
		err(EXIT_BAD, "%s", e->program);
	wrong = elf_header_wrong(e->fd, true);
	if (wrong != NULL)
		errx(EXIT_BAD, "%s: %s", e->program, wrong);
	elf_version(EV_CURRENT);
	/* The file is not mapped, since it may shrink while it is read. */
	e->elf = elf_begin(e->fd, ELF_C_READ, NULL);
	if (e->elf == NULL || elf_kind(e->elf) != ELF_K_ELF)
		errx(EXIT_BAD, "%s: no program: not an ELF file", e->program);
}

static void
find_sections(struct elf *e)
{
	struct elfsection at = elfsection_begin(e->elf);
	struct code *code = &e->code;

	while (code->nsections < MOST_SECTIONS && elfsection_next(&at)) {
		code->sections =
		    memory_grow(code->sections, code->nsections, sizeof(*code->sections));
		code->nsections +=
		    code_take_section(&code->sections[code->nsections], &at.header, at.name);
	}
	if (code->nsections == 0)
		errx(EXIT_BAD, "%s: it has no sections of code", e->program);
	code_sort_sections(code);
}

/* What was stripped from a program, if anything was and it is installed. */
static void
open_debug(struct elf *e, const char *build_id)
{
	struct elfsection at = elfsection_begin(e->elf);

	if (!elfsection_next_of(&at, SHT_SYMTAB))
		e->debug = debug_file_open(build_id, &e->debug_fd);
}

/* False: the file has no table of that type. */
static bool
symbol_table(const struct elf *e, Elf *elf, unsigned type, struct elfsymbols *s)
{
	if (!elfsymbols_begin(s, elf, type, MOST_TABLE))
		return false;
	if (s->table == NULL)
		errx(EXIT_BAD, "%s: its symbol table can't be read: it is too large or cut off",
		     e->program);
	return true;
}

/* Symbols that stand at the ends of the runtime's own code. */
static void
take_runtime(struct elf *e, const char *name, uint64_t at)
{
	if (strcmp(name, "__profsup_runtime_low") == 0)
		e->runtime_low = at;
	else if (strcmp(name, "__profsup_runtime_high") == 0)
		e->runtime_high = at;
}

/* Which source files local symbols are of.  A linker puts them behind a symbol of their file, but
 * behind one without a name those of objects that have none, of link-time optimization, and hidden
 * global ones. */
struct file_symbols {
	uint32_t n, file; /* the one that we are behind; 0: none that says anything */
};

static void
take_file(struct file_symbols *f, const GElf_Sym *sym, const char *name)
{
	const bool none = *name == '\0' || strcmp(name, "<artificial>") == 0;

	if (GELF_ST_TYPE(sym->st_info) == STT_FILE)
		f->file = none ? 0 : ++f->n;
}

/* A linker may leave hidden global symbols behind any file. */
static uint32_t
file_of(const struct file_symbols *f, const GElf_Sym *sym)
{
	return GELF_ST_BIND(sym->st_info) == STB_LOCAL &&
	               GELF_ST_VISIBILITY(sym->st_other) == STV_DEFAULT
	           ? f->file
	           : 0;
}

static void
find_symbols(struct elf *e)
{
	struct code *code = &e->code;
	struct file_symbols files = { 0 };
	struct elfsymbols at;
	struct code_symbol one;
	size_t left = 0;

	/* A program that was stripped has those for the dynamic linker. */
	e->exported = !symbol_table(e, e->debug != NULL ? e->debug : e->elf, SHT_SYMTAB, &at);
	if (e->exported)
		symbol_table(e, e->elf, SHT_DYNSYM, &at);
	while (elfsymbols_next(&at)) {
		take_runtime(e, at.name, at.symbol.st_value);
		take_file(&files, &at.symbol, at.name);
		if (!code_take_symbol(code, &one, &at.symbol, at.name))
			continue;
		if (code->nsymbols == MOST_SYMBOLS) {
			left++;
			continue;
		}
		one.file = file_of(&files, &at.symbol);
		code->symbols = memory_grow(code->symbols, code->nsymbols, sizeof(*code->symbols));
		code->symbols[code->nsymbols++] = one;
	}
	/* The names of functions of shared libraries are in the file of stacks. */
	if (code->nsymbols == 0)
		note(
		    "%s: it has no symbols, and its functions no names: give the program as it was "
		    "before strip(1), or install its debugging symbols",
		    e->program);
	if (left > 0)
		note("%s: it has too many symbols: %zu are left out", e->program, left);
}

static uint32_t
add_function(struct symbols *s, const char *name, uint64_t low, uint64_t high)
{
	s->functions = memory_grow(s->functions, s->nfunctions, sizeof(*s->functions));
	s->functions[s->nfunctions] = (struct function){
		.raw = name,
		.low = low,
		.high = high,
		.runtime = code_is_runtime(name),
	};
	return (uint32_t)s->nfunctions++;
}

/* Adds a function that stands for code without an address. */
void
symbols_add_pseudo(struct symbols *s, const char *name)
{
	const uint32_t f = add_function(s, name, 0, 0);

	s->functions[f].no_symbol = true;
}

/* Adds one that stands for all code of a function that is inlined into others. */
void
symbols_add_inlined(struct symbols *s, const char *name, const char *file, unsigned line)
{
	const uint32_t f = add_function(s, name, 0, 0);

	s->functions[f].inlined = true;
	s->functions[f].runtime = false;
	s->functions[f].file = file;
	s->functions[f].line = line;
}

static uint32_t
take_function(void *arg, const char *name, const struct code_symbol *symbol, uint64_t low,
              uint64_t high)
{
	struct symbols *s = arg;
	uint32_t f;

	if (symbol != NULL) {
		f = add_function(s, name, low, high);
		s->functions[f].local_to = symbol->file;
		return f;
	}
	f = add_function(s, memory_text("[%.*s]", MOST_SECTION_NAME, name), low, high);
	s->functions[f].no_symbol = true;
	return f;
}

static void
take_span(void *arg, uint64_t low, uint64_t high, uint32_t function)
{
	struct symbols *s = arg;

	s->spans = memory_grow(s->spans, s->nspans, sizeof(*s->spans));
	s->spans[s->nspans++] = (struct span){ low, high, function, 0 };
	if (s->functions[function].no_symbol)
		s->functions[function].high = high;
}

void
symbols_close(struct symbols *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->debug_fd >= 0)
		close(s->debug_fd);
	s->fd = s->debug_fd = -1;
}

void
symbols_read(struct symbols *s, const char *program, bool with_lines, bool keep)
{
	struct elf e = { 0 };

	*s = (struct symbols){ .program = text_clean(program, MOST_PATH) };
	e.program = s->program;
	open_program(&e, program);
	s->path = realpath(program, NULL);
	if (s->path == NULL)
		err(EXIT_BAD, "%s", s->program);
	s->build_id = build_id_of(e.elf);
	open_debug(&e, s->build_id);
	if (with_lines && e.debug != NULL)
		lines_start(&s->lines, e.debug, e.debug_fd);
	else if (with_lines)
		lines_start(&s->lines, e.elf, e.fd);
	find_sections(&e);
	find_symbols(&e);
	code_choose(&e.code);
	symbols_add_pseudo(s, "[unknown]");
	code_cover(&e.code, &(struct code_taker){ s, take_function, take_span });
	segments_read(s, e.elf);
	s->exported = e.exported && e.code.nsymbols > 0;
	s->runtime_low = e.runtime_low;
	s->runtime_high = e.runtime_high;
	free(e.code.sections);
	free(e.code.symbols);
	s->elf = e.elf; /* raw names are bytes of it, or of the other */
	s->debug = e.debug;
	s->fd = e.fd;
	s->debug_fd = e.debug != NULL ? e.debug_fd : -1;
	if (!keep)
		symbols_close(s);
}

size_t
symbols_span(const struct symbols *s, uint64_t pc)
{
	size_t at;

	SEARCH(at, s->nspans, s->spans[at].high <= pc);
	return at;
}

size_t
symbols_next_span(const struct symbols *s, size_t span, uint64_t pc)
{
	while (span < s->nspans && s->spans[span].high <= pc)
		span++;
	return span;
}

uint32_t
symbols_function_at(const struct symbols *s, size_t span, uint64_t pc)
{
	return span < s->nspans && s->spans[span].low <= pc ? s->spans[span].function
	                                                    : FUNCTION_UNKNOWN;
}

uint32_t
symbols_function(const struct symbols *s, uint64_t pc)
{
	return symbols_function_at(s, symbols_span(s, pc), pc);
}
