/*
 * Source lines, by libdw, for programs compiled with -g.  The line tables of all units become one
 * table by address; whatever of them can't be read is left out.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>

struct line {
	uint64_t pc;
	const char *file; /* NULL: nothing from here on */
	unsigned line;
	size_t order; /* in which it was found */
};

struct reading {
	struct symbols *s;
	const char *raw, *file; /* of the line before: most lines have the same file */
};

static const char *
file_name(struct reading *r, const char *raw)
{
	if (r->raw == NULL || strcmp(raw, r->raw) != 0) {
		char *clean = text_clean(raw);

		names_number(&r->s->files, clean, &r->file);
		free(clean);
		r->raw = raw;
	}
	return r->file;
}

/* True: it is the last of a sequence. */
static bool
add_line(struct reading *r, Dwarf_Line *from)
{
	struct symbols *s = r->s;
	struct line line = { .order = s->nlines };
	const char *raw = dwarf_linesrc(from, NULL, NULL);
	int number = 0;
	bool end = true;

	if (dwarf_lineaddr(from, &line.pc) != 0 || dwarf_lineendsequence(from, &end) != 0 ||
	    dwarf_lineno(from, &number) != 0)
		return true;
	if (!end && raw != NULL && number > 0) {
		line.file = file_name(r, raw);
		line.line = (unsigned)number;
	}
	s->lines = memory_grow(s->lines, s->nlines, sizeof(*s->lines));
	s->lines[s->nlines++] = line;
	return end;
}

/* A sequence that starts at 0 is that of a function which the linker has thrown away. */
static void
add_unit(struct reading *r, Dwarf_Lines *lines, size_t n)
{
	struct symbols *s = r->s;
	size_t start = s->nlines;

	for (size_t i = 0; i < n; i++) {
		if (!add_line(r, dwarf_onesrcline(lines, i)))
			continue;
		if (start < s->nlines && s->lines[start].pc == 0)
			s->nlines = start;
		start = s->nlines;
	}
}

/* Of lines at one address the one found last counts; the end of a sequence there is before them. */
static int
compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->pc != y->pc)
		return x->pc < y->pc ? -1 : 1;
	if ((x->file == NULL) != (y->file == NULL))
		return x->file == NULL ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

void
lines_read(struct symbols *s, struct Elf *elf)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	Dwarf_CU *cu = NULL;
	struct reading r = { .s = s };
	Dwarf_Die die;

	if (dwarf == NULL)
		return;
	while (dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Lines *lines;
		size_t n;

		if (dwarf_getsrclines(&die, &lines, &n) == 0)
			add_unit(&r, lines, n);
	}
	if (s->nlines > 0)
		qsort(s->lines, s->nlines, sizeof(*s->lines), compare_lines);
	dwarf_end(dwarf);
}

bool
lines_find(const struct symbols *s, uint64_t pc, const char **file, unsigned *line)
{
	size_t low = 0, high = s->nlines;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->lines[middle].pc <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	*file = "???";
	*line = 0;
	if (low == 0 || s->lines[low - 1].file == NULL)
		return false;
	*file = s->lines[low - 1].file;
	*line = s->lines[low - 1].line;
	return true;
}
