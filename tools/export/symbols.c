/*
 * The program's functions and what code is theirs, read from its file; the rules are those of
 * common/functions.c.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include "functions.h"

#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_SECTIONS = 64 << 10 };

struct elf {
	int fd;
	Elf *elf;
	struct code code;
};

static void
open_program(struct elf *e, const char *program)
{
	struct stat st;
	GElf_Ehdr eh;

	e->fd = open(program, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (e->fd < 0 || fstat(e->fd, &st) < 0)
		err(EXIT_BAD, "%s", program);
	if (!S_ISREG(st.st_mode))
		errx(EXIT_BAD, "%s: not a regular file", program);
	elf_version(EV_CURRENT);
	/* Not mapped: the file may shrink while it is read. */
	e->elf = elf_begin(e->fd, ELF_C_READ, NULL);
	if (e->elf == NULL || elf_kind(e->elf) != ELF_K_ELF || gelf_getehdr(e->elf, &eh) == NULL)
		errx(EXIT_BAD, "%s: no program: not an ELF file", program);
	if (eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB)
		errx(EXIT_BAD, "%s: not a 64-bit little-endian program", program);
	if (eh.e_type != ET_EXEC && eh.e_type != ET_DYN)
		errx(EXIT_BAD, "%s: not linked: an object file or a core", program);
}

static const char *
string_at(const struct elf *e, size_t table, size_t offset)
{
	const char *s = elf_strptr(e->elf, table, offset);

	return s != NULL ? s : "";
}

static void
find_sections(struct elf *e, const char *program)
{
	struct code *code = &e->code;
	Elf_Scn *scn = NULL;
	size_t names = 0;
	GElf_Shdr sh;

	elf_getshdrstrndx(e->elf, &names);
	while ((scn = elf_nextscn(e->elf, scn)) != NULL && code->nsections < MAX_SECTIONS) {
		if (gelf_getshdr(scn, &sh) == NULL)
			continue;
		code->sections =
		    memory_grow(code->sections, code->nsections, sizeof(*code->sections));
		code->nsections += code_take_section(&code->sections[code->nsections], &sh,
		                                     string_at(e, names, sh.sh_name));
	}
	if (code->nsections == 0)
		errx(EXIT_BAD, "%s: it has no sections of code", program);
	code_sort_sections(code);
}

static void
find_symbols(struct elf *e, const char *program)
{
	struct code *code = &e->code;
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Sym sym;

	while ((scn = elf_nextscn(e->elf, scn)) != NULL) {
		Elf_Data *data;

		if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 1; data != NULL && gelf_getsym(data, i, &sym) != NULL; i++) {
			code->symbols =
			    memory_grow(code->symbols, code->nsymbols, sizeof(*code->symbols));
			code->nsymbols +=
			    code_take_symbol(code, &code->symbols[code->nsymbols], &sym,
			                     string_at(e, sh.sh_link, sym.st_name));
		}
	}
	if (code->nsymbols == 0)
		errx(EXIT_BAD, "%s: it has no symbols: give the program as it was before strip(1)",
		     program);
}

static uint32_t
add_function(struct symbols *s, const char *symbol, uint64_t low, uint64_t high)
{
	s->functions = memory_grow(s->functions, s->nfunctions, sizeof(*s->functions));
	s->functions[s->nfunctions] = (struct function){
		.name = text_demangle(symbol),
		.symbol = text_clean(symbol, SIZE_MAX),
		.low = low,
		.high = high,
		.runtime = code_is_runtime(symbol),
	};
	return (uint32_t)s->nfunctions++;
}

/* Of code without a symbol, in brackets. */
static uint32_t
take_function(void *arg, const char *name, bool symbol, uint64_t low, uint64_t high)
{
	struct symbols *s = arg;
	char *section;
	uint32_t f;

	if (symbol)
		return add_function(s, name, low, high);
	section = memory_text("[%s]", name);
	f = add_function(s, section, low, high);
	s->functions[f].no_symbol = true;
	free(section);
	return f;
}

static void
take_span(void *arg, uint64_t low, uint64_t high, uint32_t function)
{
	struct symbols *s = arg;

	s->spans = memory_grow(s->spans, s->nspans, sizeof(*s->spans));
	s->spans[s->nspans++] = (struct span){ low, high, function };
	if (s->functions[function].no_symbol)
		s->functions[function].high = high;
}

/* The GNU note of it, in hexadecimal. */
static void
find_build_id(struct symbols *s, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Nhdr note_head;
	size_t name_at, desc_at;

	s->build_id = memory_text("%s", "");
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		Elf_Data *data;

		if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(scn, NULL);
		if (data == NULL || gelf_getnote(data, 0, &note_head, &name_at, &desc_at) == 0 ||
		    note_head.n_type != NT_GNU_BUILD_ID || note_head.n_descsz > 64 ||
		    note_head.n_namesz != 4 || memcmp((char *)data->d_buf + name_at, "GNU", 4) != 0)
			continue;
		free(s->build_id);
		s->build_id = memory_array(2 * note_head.n_descsz + 1, 1);
		for (size_t i = 0; i < note_head.n_descsz; i++)
			snprintf(s->build_id + 2 * i, 3, "%02x",
			         ((unsigned char *)data->d_buf)[desc_at + i]);
		return;
	}
}

void
symbols_read(struct symbols *s, const char *program, bool with_lines)
{
	struct elf e = { 0 };

	*s = (struct symbols){ .program = text_clean(program, MOST_PATH) };
	open_program(&e, program);
	if (with_lines)
		lines_start(&s->lines, e.elf, e.fd);
	find_sections(&e, program);
	find_symbols(&e, program);
	code_choose(&e.code);
	add_function(s, "[unknown]", 0, 0);
	s->functions[FUNCTION_UNKNOWN].no_symbol = true;
	code_cover(&e.code, &(struct code_taker){ s, take_function, take_span });
	find_build_id(s, e.elf);
	free(e.code.sections);
	free(e.code.symbols);
	elf_end(e.elf);
	close(e.fd);
}

size_t
symbols_span(const struct symbols *s, uint64_t pc)
{
	size_t low = 0, high = s->nspans;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->spans[middle].high <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
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
