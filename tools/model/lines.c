/*
 * The table of source lines, for programs compiled with -g: what line_reader.c has found in all
 * units, by address.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "search.h"

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

/* Lines are sorted by address; lines of one address keep the order in which they were found, but
 * the end of a sequence comes before them.  digit() 0 counts least. */
enum { DIGITS = 5, DIGIT_VALUES = 1 << 16 };

static size_t
digit(const struct line *line, unsigned which)
{
	if (which == 0)
		return line->file != FILE_UNKNOWN;
	return line->pc >> 16 * (which - 1) & (DIGIT_VALUES - 1);
}

/* One pass of a radix sort.  False: all lines have the same digit there, and nothing was done. */
static bool
distribute(struct line *to, const struct line *from, size_t n, unsigned which)
{
	static size_t place[DIGIT_VALUES];
	size_t sum = 0;

	memset(place, 0, sizeof(place));
	for (size_t i = 0; i < n; i++)
		place[digit(&from[i], which)]++;
	if (place[digit(from, which)] == n)
		return false;
	for (size_t i = 0; i < DIGIT_VALUES; i++) {
		size_t count = place[i];

		place[i] = sum;
		sum += count;
	}
	for (size_t i = 0; i < n; i++)
		to[place[digit(&from[i], which)]++] = from[i];
	return true;
}

static void
sort(struct lines *l)
{
	struct line *spare = memory_array(l->n, sizeof(*spare));

	for (unsigned which = 0; which < DIGITS && l->n > 0; which++)
		if (distribute(spare, l->table, l->n, which)) {
			struct line *sorted = spare;

			spare = l->table;
			l->table = sorted;
		}
	free(spare);
}

static void
number_names(struct lines *l, size_t len)
{
	const char *names = l->texts;

	for (const char *end = names + len; names < end; names += strlen(names) + 1) {
		l->files = memory_grow(l->files, l->nfiles, sizeof(*l->files));
		l->files[l->nfiles++] = names;
	}
}

/* Drops half a sequence, which a child that was stopped may have written. */
static void
drop_part(struct lines *l)
{
	while (l->n > 0 && l->table[l->n - 1].file != FILE_UNKNOWN)
		l->n--;
}

/* Prints. */
void
lines_finish(struct lines *l, const char *program)
{
	size_t len;
	int status = -1;

	while (l->reader > 0 && waitpid(l->reader, &status, 0) < 0)
		if (errno != EINTR)
			err(EXIT_BAD, "source lines");
	l->texts = memory_file_take(l->names, &len);
	number_names(l, len);
	l->table = memory_file_take(l->entries, &len);
	l->n = len / sizeof(*l->table);
	if (status != 0) {
		drop_part(l);
		note("%s: its source lines take too long or too much memory: some are left out",
		     program);
	}
	sort(l);
}

bool
lines_find(const struct lines *l, uint64_t pc, const char **file, unsigned *number)
{
	size_t at;

	SEARCH(at, l->n, l->table[at].pc <= pc);
	*file = "???";
	*number = 0;
	if (at == 0 || l->table[at - 1].file == FILE_UNKNOWN || l->table[at - 1].file > l->nfiles)
		return false;
	*file = l->files[l->table[at - 1].file - 1];
	*number = l->table[at - 1].number;
	return true;
}
