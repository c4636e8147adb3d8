/*
 * Which function an address belongs to, by the program's symbol table.
 *
 * A function reaches from its symbol as far as the symbol's size says, and over the padding behind
 * it; one without a size, as assemblers leave them, to the next.  Of several symbols at one address
 * one gives the name.  Code that no symbol covers goes under its section's name, in brackets.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_SECTIONS = 64 << 10, PADDING = 64 };

struct section {
	uint64_t low, high;
	const char *name;
};

struct candidate {
	uint64_t low, high; /* the same: no size */
	const char *name;
	int rank;
};

struct elf {
	int fd;
	Elf *elf;
	struct section *sections; /* of code, by address */
	size_t nsections;
	struct candidate *candidates;
	size_t ncandidates;
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

static int
compare_sections(const void *a, const void *b)
{
	const struct section *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static const char *
string_at(const struct elf *e, size_t table, size_t offset)
{
	const char *s = elf_strptr(e->elf, table, offset);

	return s != NULL ? s : "";
}

/* Of sections that overlap, which no linker makes, the later one begins where the earlier one ends.
 */
static void
find_sections(struct elf *e, const char *program)
{
	Elf_Scn *scn = NULL;
	size_t names = 0, n = 0;
	GElf_Shdr sh;

	elf_getshdrstrndx(e->elf, &names);
	while ((scn = elf_nextscn(e->elf, scn)) != NULL && e->nsections < MAX_SECTIONS) {
		if (gelf_getshdr(scn, &sh) == NULL || (sh.sh_flags & SHF_EXECINSTR) == 0 ||
		    (sh.sh_flags & SHF_ALLOC) == 0 || sh.sh_size == 0 ||
		    sh.sh_addr + sh.sh_size < sh.sh_addr)
			continue;
		e->sections = memory_grow(e->sections, e->nsections, sizeof(*e->sections));
		e->sections[e->nsections++] = (struct section){ sh.sh_addr, sh.sh_addr + sh.sh_size,
			                                        string_at(e, names, sh.sh_name) };
	}
	if (e->nsections == 0)
		errx(EXIT_BAD, "%s: it has no sections of code", program);
	qsort(e->sections, e->nsections, sizeof(*e->sections), compare_sections);
	for (size_t i = 1; i < e->nsections; i++) {
		if (e->sections[i].low < e->sections[n].high)
			e->sections[i].low = e->sections[n].high;
		if (e->sections[i].low < e->sections[i].high)
			e->sections[++n] = e->sections[i];
	}
	e->nsections = n + 1;
}

static const struct section *
section_of(const struct elf *e, uint64_t pc)
{
	size_t low = 0, high = e->nsections;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pc < e->sections[middle].low)
			high = middle;
		else if (pc >= e->sections[middle].high)
			low = middle + 1;
		else
			return &e->sections[middle];
	}
	return NULL;
}

/* Functions before labels, what others can see before what they can't, names for users before those
 * for the implementation. */
static int
rank_of(const GElf_Sym *sym, const char *name)
{
	int rank = GELF_ST_TYPE(sym->st_info) == STT_NOTYPE ? 100 : 0;
	int bind = GELF_ST_BIND(sym->st_info);

	rank += bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 10 : 20;
	for (; *name == '_' && rank % 10 < 9; name++)
		rank++;
	return rank;
}

/* '$' begins the marks that ARM's tools put between code and data. */
static void
take_symbol(struct elf *e, const GElf_Sym *sym, const char *name)
{
	int type = GELF_ST_TYPE(sym->st_info);
	const struct section *section = section_of(e, sym->st_value);
	uint64_t high;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) || section == NULL ||
	    sym->st_shndx == SHN_UNDEF || *name == '\0' || *name == '$')
		return;
	high = sym->st_size > section->high - sym->st_value ? section->high
	                                                    : sym->st_value + sym->st_size;
	e->candidates = memory_grow(e->candidates, e->ncandidates, sizeof(*e->candidates));
	e->candidates[e->ncandidates++] =
	    (struct candidate){ sym->st_value, high, name, rank_of(sym, name) };
}

static void
find_symbols(struct elf *e, const char *program)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	GElf_Sym sym;

	while ((scn = elf_nextscn(e->elf, scn)) != NULL) {
		Elf_Data *data;

		if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(scn, NULL);
		for (int i = 1; data != NULL && gelf_getsym(data, i, &sym) != NULL; i++)
			take_symbol(e, &sym, string_at(e, sh.sh_link, sym.st_name));
	}
	if (e->ncandidates == 0)
		errx(EXIT_BAD, "%s: it has no symbols: give the program as it was before strip(1)",
		     program);
}

static int
compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(x->name, y->name);
}

/*
 * One for each address, the largest of their sizes kept.  A label inside of a function is none:
 * only what no function covers may be named by one.
 */
static void
choose(struct elf *e)
{
	uint64_t covered = 0;
	size_t n = 0;

	qsort(e->candidates, e->ncandidates, sizeof(*e->candidates), compare_candidates);
	for (size_t i = 0; i < e->ncandidates; i++) {
		struct candidate c = e->candidates[i];

		if (n > 0 && c.low == e->candidates[n - 1].low) {
			if (c.high > e->candidates[n - 1].high)
				e->candidates[n - 1].high = c.high;
		} else if (c.rank < 100 || c.low >= covered) {
			e->candidates[n++] = c;
		}
		if (c.rank < 100 && c.high > covered)
			covered = c.high;
	}
	e->ncandidates = n;
}

/* The symbols whose time gprof leaves out: profsup books to the first what its runtime takes. */
static bool
is_runtime(const char *name)
{
	static const char *const names[] = { "mcount", "_mcount", "__mcount", "__mcount_internal",
		                             "__mcleanup" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static uint32_t
add_function(struct symbols *s, const char *symbol, uint64_t low, uint64_t high)
{
	s->functions = memory_grow(s->functions, s->nfunctions, sizeof(*s->functions));
	s->functions[s->nfunctions] = (struct function){
		.name = text_demangle(symbol),
		.symbol = text_clean(symbol),
		.low = low,
		.high = high,
		.runtime = is_runtime(symbol),
	};
	return (uint32_t)s->nfunctions++;
}

static void
add_span(struct symbols *s, uint64_t low, uint64_t high, uint32_t function)
{
	if (low >= high)
		return;
	s->spans = memory_grow(s->spans, s->nspans, sizeof(*s->spans));
	s->spans[s->nspans++] = (struct span){ low, high, function };
}

static void
add_unnamed(struct symbols *s, const struct section *section, uint64_t low, uint64_t high,
            uint32_t *unnamed)
{
	if (low >= high)
		return;
	if (*unnamed == FUNCTION_UNKNOWN) {
		char *name = memory_text("[%s]", section->name);

		*unnamed = add_function(s, name, low, high);
		s->functions[*unnamed].no_symbol = true;
		free(name);
	}
	s->functions[*unnamed].high = high;
	add_span(s, low, high, *unnamed);
}

/* A function may have another one's symbol in its middle (assembler does that); what is behind that
 * one is the outer one's again. */
struct outer {
	uint64_t high;
	uint32_t function;
};

/* The code from `at` to `end`, where the next symbol stands: a function, what of it is padding, the
 * outer function's rest, and what nobody knows. */
static void
cover(struct symbols *s, const struct section *section, const struct candidate *c, uint64_t end,
      struct outer *outer, uint32_t *unnamed)
{
	uint32_t f = add_function(s, c->name, c->low, c->high > c->low ? c->high : end);
	uint64_t at = s->functions[f].high < end ? s->functions[f].high : end;

	add_span(s, c->low, at, f);
	if (outer->high > at) {
		uint64_t stop = outer->high < end ? outer->high : end;

		add_span(s, at, stop, outer->function);
		at = stop;
	}
	if (s->functions[f].high > outer->high)
		*outer = (struct outer){ s->functions[f].high, f };
	if (at < end && end - at < PADDING) {
		s->spans[s->nspans - 1].high = end;
		at = end;
	}
	add_unnamed(s, section, at, end, unnamed);
}

static void
make_spans(struct symbols *s, const struct elf *e)
{
	size_t c = 0;

	for (size_t i = 0; i < e->nsections; i++) {
		const struct section *section = &e->sections[i];
		struct outer outer = { 0 };
		uint32_t unnamed = FUNCTION_UNKNOWN;
		size_t next = c;

		while (next < e->ncandidates && e->candidates[next].low < section->high)
			next++;
		add_unnamed(s, section, section->low,
		            c < next ? e->candidates[c].low : section->high, &unnamed);
		for (; c < next; c++) {
			uint64_t end = c + 1 < next ? e->candidates[c + 1].low : section->high;

			cover(s, section, &e->candidates[c], end, &outer, &unnamed);
		}
	}
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

	*s = (struct symbols){ .program = text_clean(program) };
	open_program(&e, program);
	find_sections(&e, program);
	find_symbols(&e, program);
	choose(&e);
	add_function(s, "[unknown]", 0, 0);
	s->functions[FUNCTION_UNKNOWN].no_symbol = true;
	make_spans(s, &e);
	find_build_id(s, e.elf);
	if (with_lines)
		lines_read(s, e.elf);
	free(e.sections);
	free(e.candidates);
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

uint32_t
symbols_function(const struct symbols *s, uint64_t pc)
{
	size_t i = symbols_span(s, pc);

	return i < s->nspans && s->spans[i].low <= pc ? s->spans[i].function : FUNCTION_UNKNOWN;
}
