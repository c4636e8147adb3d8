/*
 * Reads source lines, by libdw.  A file of some megabytes can keep libdw busy for hours and fill
 * all memory, so it runs in a child process, which has so much CPU time and memory, opens nothing,
 * and writes what it has found after each unit to two files in memory.  If the child comes to its
 * limits, what it has written is used.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "confine.h"
#include "unit_file.h"

#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the child may take, and how much more for each byte that the file has on disk.  An honest
 * program of 256 MiB takes half of that, on a slow machine. */
enum { SECONDS = 2, BYTES_A_SECOND = 256 << 20, MEMORY = 1 << 30, MEMORY_FACTOR = 4 };
enum { MOST_LINES = 1 << 25, MOST_FILE_NAMES = 64 << 20 };

struct reading {
	FILE *lines, *files;
	struct names names;
	size_t name_bytes, nwritten;
	const char *directory; /* the unit's */
	const char *raw;       /* the file of the line before: most lines have the same */
	uint32_t file;
	struct line *unit; /* the lines of one unit */
	size_t n;
};

static uint32_t
file_number(struct reading *r, const char *raw)
{
	const uint32_t known = r->names.n;
	char *clean;

	if (r->raw != NULL && (raw == r->raw || strcmp(raw, r->raw) == 0))
		return r->file;
	clean = unit_file(r->directory, raw);
	r->raw = raw;
	r->file = FILE_UNKNOWN;
	if (r->name_bytes < MOST_FILE_NAMES)
		r->file = names_number(&r->names, clean, NULL) + 1;
	if (r->names.n > known) {
		r->name_bytes += strlen(clean) + 1;
		fwrite(clean, 1, strlen(clean) + 1, r->files);
	}
	free(clean);
	return r->file;
}

/* Adds a line.  True: it is the last of a sequence. */
static bool
add_line(struct reading *r, Dwarf_Line *from)
{
	const char *raw = dwarf_linesrc(from, NULL, NULL);
	struct line line = { 0 };
	Dwarf_Addr pc;
	int number = 0;
	bool end = true;

	if (dwarf_lineaddr(from, &pc) != 0 || dwarf_lineendsequence(from, &end) != 0 ||
	    dwarf_lineno(from, &number) != 0)
		return true;
	line.pc = pc;
	if (!end && raw != NULL && number > 0) {
		line.file = file_number(r, raw);
		line.number = (uint32_t)number;
	}
	r->unit = memory_grow(r->unit, r->n, sizeof(*r->unit));
	r->unit[r->n++] = line;
	return end;
}

/* A sequence that starts at 0 is that of a function which the linker has thrown away. */
static void
add_unit(struct reading *r, Dwarf_Lines *lines, size_t n)
{
	size_t start = 0;

	r->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (!add_line(r, dwarf_onesrcline(lines, i)))
			continue;
		if (start < r->n && r->unit[start].pc == 0)
			r->n = start;
		start = r->n;
	}
}

/* Writes a unit, with names before the lines that refer to them.  False: no more units are
 * wanted. */
static bool
put_unit(struct reading *r)
{
	if (fflush(r->files) != 0 || fwrite(r->unit, sizeof(*r->unit), r->n, r->lines) != r->n ||
	    fflush(r->lines) != 0)
		return false;
	r->nwritten += r->n;
	return r->nwritten < MOST_LINES;
}

/* Reads all units.  False: there is no time or memory for all.  What is wrong in itself counts as
 * read. */
static bool
read_units(struct reading *r, Elf *elf)
{
	Dwarf *dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	bool whole = dwarf != NULL || errno != ENOMEM;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	while (dwarf != NULL && dwarf_get_units(dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		Dwarf_Lines *lines;
		size_t n;

		errno = 0;
		if (dwarf_getsrclines(&die, &lines, &n) != 0) {
			whole &= errno != ENOMEM;
			continue;
		}
		r->directory = unit_directory(&die);
		r->raw = NULL;
		add_unit(r, lines, n);
		if (!put_unit(r))
			return false;
	}
	return whole;
}

static void __attribute__((noreturn)) read_all(const struct lines *l, Elf *elf, uint64_t on_disk)
{
	struct reading r = { .lines = l->entries, .files = l->names };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(STDERR_FILENO); /* libdw says so if there is no memory; we say it better */
	/* A debug file that the program names may be anything: with no descriptors left, nothing is
	 * opened. */
	confine(MEMORY + MEMORY_FACTOR * on_disk, SECONDS + on_disk / BYTES_A_SECOND);
	errno = 0;
	_exit(read_units(&r, elf) ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* Starts the child, which runs until lines_finish() waits for it. */
void
lines_start(struct lines *l, Elf *elf, int fd)
{
	const pid_t parent = getpid();
	struct stat st;

	*l = (struct lines){ .entries = memory_file(), .names = memory_file() };
	if (fstat(fd, &st) < 0)
		err(EXIT_BAD, "source lines");
	l->reader = fork();
	if (l->reader == 0 && getppid() == parent)
		read_all(l, elf, (uint64_t)st.st_blocks * 512);
	if (l->reader == 0)
		_exit(EXIT_FAILURE);
}
