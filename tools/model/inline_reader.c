/*
 * Reads inlined calls, by libdw: only of units, and in them only of functions, that have code which
 * is wanted.  A file of some megabytes can keep libdw busy for hours, so this is a child process,
 * confined like that of line_reader.c.  It writes what it has found after each unit.
 *
 * SPDX-License-Identifier: ISC
 */
#include "inlines.h"

#include "confine.h"
#include "search.h"
#include "unit_file.h"

#include <dwarf.h>
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the child may take, as in line_reader.c.  An honest program of 256 MiB takes 5 s if all of
 * it is wanted. */
enum { SECONDS = 2, BYTES_A_SECOND = 32 << 20, MEMORY = 1 << 30, MEMORY_FACTOR = 4 };
/* Blocks in each other, calls, and bytes of all texts. */
enum { MOST_DEPTH = 1000, MOST_CALLS = 1 << 20, MOST_TEXTS = 256 << 20 };

struct reading {
	const struct extent *wanted;
	size_t nwanted;
	FILE *names_file, *calls_file, *spans_file;
	struct names texts;
	size_t text_bytes;
	Dwarf_Die unit_die;
	const char *directory; /* the unit's */
	Dwarf_Files *files;    /* of the unit, once they are needed, or NULL */
	bool files_read;
	uint32_t *parents; /* of all calls, number 1 first */
	uint32_t ncalls;
	uint8_t *depths;          /* of all calls: how many they are in */
	struct inline_span *unit; /* ranges of the unit's calls */
	size_t n;
	bool whole;  /* nothing had to be left out */
	Elf *shared; /* what the file has in common with others; NULL: nothing */
};

static bool
is_wanted(const struct reading *r, uint64_t from, uint64_t to)
{
	size_t at;

	SEARCH(at, r->nwanted, r->wanted[at].high <= from);
	return at < r->nwanted && r->wanted[at].low < to;
}

static uint32_t
text_number(struct reading *r, const char *raw, size_t most)
{
	const uint32_t known = r->texts.n;
	uint32_t number;
	char *text;

	if (raw == NULL || *raw == '\0')
		return 0;
	if (r->text_bytes > MOST_TEXTS) {
		r->whole = false;
		return 0;
	}
	text = memory_text("%.*s", (int)most, raw);
	number = names_number(&r->texts, text, NULL) + 1;
	if (r->texts.n > known) {
		fwrite(text, 1, strlen(text) + 1, r->names_file);
		r->text_bytes += strlen(text) + 1;
	}
	free(text);
	return number;
}

/* A file's name is shown: what is no printable UTF-8 goes here, as in lines. */
static uint32_t
file_number(struct reading *r, const char *directory, const char *raw)
{
	char *clean = raw == NULL ? NULL : unit_file(directory, raw);
	const uint32_t number = text_number(r, clean, MOST_PATH);

	free(clean);
	return number;
}

/* The name that the linker would know the function by, or, where that is the same, its name. */
static uint32_t
name_of(struct reading *r, Dwarf_Die *die)
{
	enum { MOST_NAME = 32 << 10 };
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) != NULL ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr) != NULL)
		name = dwarf_formstring(&attr);
	return text_number(r, name != NULL ? name : dwarf_diename(die), MOST_NAME);
}

static uint64_t
number_of(Dwarf_Die *die, unsigned what)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (dwarf_attr(die, what, &attr) == NULL || dwarf_formudata(&attr, &value) != 0)
		return 0;
	return value;
}

/* Adds those ranges of a call that have code which is wanted.  Returns where its code begins. */
static uint64_t
add_ranges(struct reading *r, Dwarf_Die *die, uint32_t call)
{
	Dwarf_Addr base, from, to, first = UINT64_MAX, entry;

	for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &from, &to)) > 0;) {
		first = from < first ? from : first;
		if (from >= to || !is_wanted(r, from, to))
			continue;
		r->unit = memory_grow(r->unit, r->n, sizeof(*r->unit));
		r->unit[r->n++] = (struct inline_span){ from, to, call };
	}
	return dwarf_entrypc(die, &entry) == 0 ? entry : first;
}

/* The directory of the unit where a function is declared, which may be another one than the call's:
 * with link-time optimization, or where units have something in common. */
static const char *
directory_of(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Die unit;

	if (dwarf_attr_integrate(die, DW_AT_decl_file, &attr) == NULL ||
	    dwarf_cu_info(attr.cu, NULL, NULL, &unit, NULL, NULL, NULL, NULL) != 0)
		return NULL;
	return unit_directory(&unit);
}

static uint32_t
line_number(int line)
{
	return line > 0 ? (uint32_t)line : 0;
}

/* A lambda has no declaration: it is where its code begins. */
static void
find_declaration(struct reading *r, Dwarf_Die *die, struct inline_call *call)
{
	const char *file = dwarf_decl_file(die);
	const char *directory = file != NULL ? directory_of(die) : r->directory;
	Dwarf_Attribute attr;
	Dwarf_Die origin;
	Dwarf_Line *start;
	int line = 0;

	if (file != NULL)
		dwarf_decl_line(die, &line);
	else if (dwarf_attr(die, DW_AT_abstract_origin, &attr) != NULL &&
	         dwarf_formref_die(&attr, &origin) != NULL) {
		call->origin = dwarf_dieoffset(&origin);
		start = dwarf_getsrc_die(&r->unit_die, call->low);
		file = start != NULL ? dwarf_linesrc(start, NULL, NULL) : NULL;
		if (start != NULL)
			dwarf_lineno(start, &line);
	}
	call->file = file_number(r, directory, file);
	call->line = line_number(line);
}

static void
put_call(struct reading *r, Dwarf_Die *die, const struct inline_call *begun)
{
	const uint64_t file = number_of(die, DW_AT_call_file);
	const uint64_t line = number_of(die, DW_AT_call_line);
	struct inline_call call = *begun;

	find_declaration(r, die, &call);
	if (!r->files_read && dwarf_getsrcfiles(&r->unit_die, &r->files, NULL) != 0)
		r->files = NULL;
	r->files_read = true;
	if (r->files != NULL)
		call.call_file =
		    file_number(r, r->directory, dwarf_filesrc(r->files, file, NULL, NULL));
	call.call_line = line <= INT32_MAX ? (uint32_t)line : 0;
	r->parents = memory_grow(r->parents, r->ncalls, sizeof(*r->parents));
	r->depths = memory_grow(r->depths, r->ncalls, sizeof(*r->depths));
	r->parents[r->ncalls] = call.parent;
	r->depths[r->ncalls] = call.parent == 0 ? 0 : r->depths[call.parent - 1] + 1;
	r->ncalls++;
	fwrite(&call, sizeof(call), 1, r->calls_file);
}

/* Takes a call that is in `parent`.  Returns its number; `parent`: it is left out; 0: nothing in it
 * is wanted. */
static uint32_t
take_call(struct reading *r, Dwarf_Die *die, uint32_t parent)
{
	struct inline_call call = { .parent = parent };
	const size_t before = r->n;

	if (parent != 0 && r->depths[parent - 1] + 1 >= MOST_INLINED)
		return parent;
	call.low = add_ranges(r, die, r->ncalls + 1);
	if (r->n == before)
		return 0;
	call.name = name_of(r, die);
	if (call.name == 0 || r->ncalls == MOST_CALLS) {
		r->whole &= r->ncalls < MOST_CALLS;
		r->n = before;
		return parent;
	}
	put_call(r, die, &call);
	return r->ncalls;
}

/* Whether a function, or a unit, has code that is wanted; `unknown`: it does not say what code. */
static bool
has_wanted(const struct reading *r, Dwarf_Die *die, bool unknown)
{
	Dwarf_Addr base, from, to;
	ptrdiff_t at = dwarf_ranges(die, 0, &base, &from, &to);

	if (at <= 0)
		return unknown;
	for (; at > 0; at = dwarf_ranges(die, at, &base, &from, &to))
		if (is_wanted(r, from, to))
			return true;
	return false;
}

/* Looks at all that is in an entry: code in `call`, of a function whose code is wanted or not. */
static void
walk(struct reading *r, Dwarf_Die *parent, uint32_t call, bool wanted, unsigned depth)
{
	Dwarf_Die die;
	uint32_t inner;

	r->whole &= depth < MOST_DEPTH;
	if (depth == MOST_DEPTH || dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			inner = wanted ? take_call(r, &die, call) : 0;
			if (inner != 0)
				walk(r, &die, inner, true, depth + 1);
			break;
		case DW_TAG_subprogram:
			walk(r, &die, 0, has_wanted(r, &die, false), depth + 1);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_namespace:
		case DW_TAG_module:
			walk(r, &die, call, wanted, depth + 1);
			break;
		default:
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static void
put_span(void *arg, const struct inline_span *span)
{
	fwrite(span, sizeof(*span), 1, arg);
}

/* Reads a unit.  False: nothing more can be written. */
static bool
read_unit(struct reading *r)
{
	if (dwarf_tag(&r->unit_die) != DW_TAG_compile_unit || !has_wanted(r, &r->unit_die, true))
		return true;
	r->directory = unit_directory(&r->unit_die);
	r->files_read = false;
	r->files = NULL;
	r->n = 0;
	walk(r, &r->unit_die, 0, false, 0);
	/* What refers to something comes behind it. */
	if (fflush(r->names_file) != 0 || fflush(r->calls_file) != 0)
		return false;
	inline_flatten(r->unit, r->n, r->parents, put_span, r->spans_file);
	return fflush(r->spans_file) == 0;
}

/* Reads all units.  False: there is no time or memory for all.  What is wrong in itself counts as
 * read. */
static bool
read_units(struct reading *r, Elf *elf)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	Dwarf_CU *cu = NULL;

	if (dwarf != NULL && r->shared != NULL)
		dwarf_setalt(dwarf, dwarf_begin_elf(r->shared, DWARF_C_READ, NULL));
	r->whole = dwarf != NULL || errno != ENOMEM;
	while (dwarf != NULL &&
	       dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &r->unit_die, NULL) == 0) {
		errno = 0;
		if (!read_unit(r))
			return false;
		r->whole &= errno != ENOMEM;
	}
	return r->whole;
}

static void __attribute__((noreturn)) read_all(struct reading *r, Elf *elf, uint64_t on_disk)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(STDERR_FILENO); /* libdw says so if there is no memory; we say it better */
	/* A debug file that the program names may be anything: with no descriptors left, nothing is
	 * opened. */
	confine(MEMORY + MEMORY_FACTOR * on_disk, SECONDS + on_disk / BYTES_A_SECOND);
	errno = 0;
	_exit(read_units(r, elf) ? EXIT_SUCCESS : EXIT_FAILURE);
}

void
inline_reader_start(struct inlines *in, Elf *elf, int fd, const struct extent *wanted, size_t n)
{
	const pid_t parent = getpid();
	struct reading r = { .wanted = wanted, .nwanted = n };
	struct stat st, shared = { 0 };
	int shared_fd;

	*in = (struct inlines){ 0 };
	in->names_file = r.names_file = memory_file();
	in->calls_file = r.calls_file = memory_file();
	in->spans_file = r.spans_file = memory_file();
	if (fstat(fd, &st) < 0)
		err(EXIT_BAD, "inlined functions");
	r.shared = debug_file_shared(elf, &shared_fd);
	if (r.shared != NULL && fstat(shared_fd, &shared) < 0)
		err(EXIT_BAD, "inlined functions");
	in->reader = fork();
	if (in->reader == 0 && getppid() == parent)
		read_all(&r, elf, (uint64_t)(st.st_blocks + shared.st_blocks) * 512);
	if (in->reader == 0)
		_exit(EXIT_FAILURE);
	if (r.shared != NULL) {
		elf_end(r.shared);
		close(shared_fd);
	}
}
