/*
 * Which function an address belongs to, by the program's symbol table.
 *
 * A function reaches from its symbol as far as the symbol's size says, and over the padding behind
 * it; a symbol without a size, as assemblers leave them, reaches to the next one.  Of several
 * symbols at one address one gives the name.  Code that no symbol covers goes under its section's
 * name.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functions.h"

#include "search.h"

#include <stdlib.h>
#include <string.h>

/* Names that agree in so many bytes count as equal: all of a table may be ends of one long
 * string. */
enum { PADDING = 64, MOST_COMPARED = 1000 };

/* Takes a section.  False: it holds no code. */
bool
code_take_section(struct code_section *section, const GElf_Shdr *sh, const char *name)
{
	if ((sh->sh_flags & SHF_EXECINSTR) == 0 || (sh->sh_flags & SHF_ALLOC) == 0 ||
	    sh->sh_size == 0 || sh->sh_addr + sh->sh_size < sh->sh_addr)
		return false;
	*section = (struct code_section){ sh->sh_addr, sh->sh_addr + sh->sh_size, name };
	return true;
}

static int
compare_sections(const void *a, const void *b)
{
	const struct code_section *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

/* If sections overlap, which no linker makes, the later one begins where the earlier one ends. */
void
code_sort_sections(struct code *code)
{
	struct code_section *s = code->sections;
	size_t n = 0;

	if (code->nsections == 0)
		return;
	qsort(s, code->nsections, sizeof(*s), compare_sections);
	for (size_t i = 1; i < code->nsections; i++) {
		if (s[i].low < s[n].high)
			s[i].low = s[n].high;
		if (s[i].low < s[i].high)
			s[++n] = s[i];
	}
	code->nsections = n + 1;
}

static const struct code_section *
section_of(const struct code *code, uint64_t pc)
{
	size_t at;

	SEARCH(at, code->nsections, code->sections[at].high <= pc);
	return at < code->nsections && pc >= code->sections[at].low ? &code->sections[at] : NULL;
}

/* Ranks functions before labels, global symbols before local ones, names for users before those for
 * the implementation. */
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

/* Takes a symbol.  False: it names no code.  '$' begins the marks that ARM's tools put between code
 * and data. */
bool
code_take_symbol(const struct code *code, struct code_symbol *symbol, const GElf_Sym *sym,
                 const char *name)
{
	int type = GELF_ST_TYPE(sym->st_info);
	const struct code_section *section = section_of(code, sym->st_value);
	uint64_t high;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) || section == NULL ||
	    sym->st_shndx == SHN_UNDEF || *name == '\0' || *name == '$')
		return false;
	high = sym->st_size > section->high - sym->st_value ? section->high
	                                                    : sym->st_value + sym->st_size;
	*symbol = (struct code_symbol){ sym->st_value, high, name, rank_of(sym, name), 0 };
	return true;
}

static int
compare_symbols(const void *a, const void *b)
{
	const struct code_symbol *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* Joins two symbols at one address.  Names are compared here and not when all symbols are sorted: a
 * million may have the same address, and names that are alike for long. */
static void
take_same(struct code_symbol *one, const struct code_symbol *next)
{
	if (next->high > one->high)
		one->high = next->high;
	if (next->rank == one->rank && strncmp(next->name, one->name, MOST_COMPARED) < 0) {
		one->name = next->name;
		one->file = next->file;
	}
}

/* Keeps one symbol for each address, with the largest size.  A label inside of a function is
 * dropped: labels only name code that no function covers. */
void
code_choose(struct code *code)
{
	struct code_symbol *s = code->symbols;
	uint64_t covered = 0;
	size_t n = 0;

	if (code->nsymbols == 0)
		return;
	qsort(s, code->nsymbols, sizeof(*s), compare_symbols);
	for (size_t i = 0; i < code->nsymbols; i++) {
		struct code_symbol c = s[i];

		if (n > 0 && c.low == s[n - 1].low) {
			take_same(&s[n - 1], &c);
		} else if (c.rank < 100 || c.low >= covered) {
			s[n++] = c;
		}
		if (c.rank < 100 && c.high > covered)
			covered = c.high;
	}
	code->nsymbols = n;
}

/* Whether gprof leaves out the symbol's time.  profsup books its runtime's time to the first of
 * these. */
bool
code_is_runtime(const char *name)
{
	static const char *const names[] = { "mcount", "_mcount", "__mcount", "__mcount_internal",
		                             "__mcleanup" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Whether a function does nothing but lead to main() or to a thread's function.  The name may have
 * its file behind it: "__libc_start_main [libc.so.6]".  No more of it is looked at: it may be of
 * any length. */
bool
code_is_startup(const char *name)
{
	static const char *const names[] = {
		"_start",
		"_start_c",
		"__libc_start_main",
		"__libc_start_main_impl",
		"start_thread",
		"generic_start_main",
		"__libc_start_call_main",
		"libc_start_main_stage2",
		"__clone",
		"__clone3",
		"clone",
		"clone3",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const size_t len = strlen(names[i]);

		if (strncmp(name, names[i], len) == 0 &&
		    (name[len] == '\0' || strncmp(name + len, " [", 2) == 0))
			return true;
	}
	return false;
}

/* A function may have another function's symbol in its middle (in assembler); code behind the inner
 * function is the outer one's again. */
struct outer {
	uint64_t high;
	uint32_t function;
};

/* The state of the way through one section. */
struct walk {
	const struct code_taker *to;
	const struct code_section *section;
	struct outer outer;
	uint32_t unnamed;
	bool has_unnamed;
};

static void
give_unnamed(struct walk *w, uint64_t low, uint64_t high)
{
	if (low >= high)
		return;
	if (!w->has_unnamed)
		w->unnamed =
		    w->to->function(w->to->arg, w->section->name, NULL, low, w->section->high);
	w->has_unnamed = true;
	w->to->span(w->to->arg, low, high, w->unnamed);
}

static uint64_t
with_padding(uint64_t at, uint64_t end)
{
	return at < end && end - at < PADDING ? end : at;
}

/* Hands out the code from a symbol to `end`, where the next one stands: to the symbol's function,
 * to what is left of the outer function, and the rest to the section.  Padding belongs to what is
 * before it. */
static void
give_symbol(struct walk *w, const struct code_symbol *c, uint64_t end)
{
	const struct code_taker *to = w->to;
	const uint64_t high = c->high > c->low ? c->high : end;
	const uint32_t f = to->function(to->arg, c->name, c, c->low, high);
	uint64_t at = high < end ? high : end;

	if (w->outer.high > at) {
		uint64_t rest = w->outer.high < end ? w->outer.high : end;

		to->span(to->arg, c->low, at, f);
		if (at < rest)
			to->span(to->arg, at, with_padding(rest, end), w->outer.function);
		at = with_padding(rest, end);
	} else {
		at = with_padding(at, end);
		to->span(to->arg, c->low, at, f);
	}
	if (high > w->outer.high)
		w->outer = (struct outer){ high, f };
	give_unnamed(w, at, end);
}

void
code_cover(const struct code *code, const struct code_taker *to)
{
	size_t c = 0;

	for (size_t i = 0; i < code->nsections; i++) {
		const struct code_section *section = &code->sections[i];
		struct walk w = { .to = to, .section = section };
		size_t next = c;

		while (next < code->nsymbols && code->symbols[next].low < section->high)
			next++;
		give_unnamed(&w, section->low, c < next ? code->symbols[c].low : section->high);
		for (; c < next; c++)
			give_symbol(&w, &code->symbols[c],
			            c + 1 < next ? code->symbols[c + 1].low : section->high);
	}
}
