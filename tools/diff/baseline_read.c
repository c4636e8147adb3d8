/*
 * Reads a baseline, which people merge and edit: what is wrong in it is told with its line.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gate.h"

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_BYTES = 256 << 20 };

struct numbered {
	struct baseline_entry entry;
	size_t line;
};

struct reading {
	const char *name; /* printable */
	size_t line;
	const char *program;
	struct numbered *entries;
	size_t n;
};

static void __attribute__((noreturn)) refuse(const struct reading *r, const char *wrong)
{
	errx(EXIT_BAD, "%s:%zu: %s", r->name, r->line, wrong);
}

static bool
take_number(const char **at, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(*at, &end, 10);
	if (**at < '0' || **at > '9' || errno != 0)
		return false;
	*at = end;
	return true;
}

static bool
take_text(const char **at, const char *text)
{
	if (strncmp(*at, text, strlen(text)) != 0)
		return false;
	*at += strlen(text);
	return true;
}

/* "100", or "100..104 of 5 runs". */
static bool
parse_calls(struct baseline_entry *e, const char *at)
{
	uint64_t runs = 1;
	bool good = take_number(&at, &e->low);

	e->high = e->low;
	if (good && *at != '\0')
		good = take_text(&at, "..") && take_number(&at, &e->high) &&
		       take_text(&at, " of ") && take_number(&at, &runs) &&
		       take_text(&at, " runs") && e->high > e->low && runs > 1 &&
		       runs <= UINT32_MAX;
	e->runs = (uint32_t)runs;
	return good && *at == '\0';
}

static void
parse_entry(struct reading *r, char *line)
{
	char *calls = strrchr(line, '\t'), *tab = strchr(line, '\t');
	struct baseline_entry e = { 0 };

	if (tab == NULL || calls == NULL || tab == line)
		refuse(r, "it is not a name, a tab and a number of calls");
	if (tab != calls && (strncmp(tab, "\tby ", 4) != 0 || strchr(tab + 1, '\t') != calls))
		refuse(r, "what stands between a name and its calls is not \"by CALLER\"");
	*calls = '\0';
	if (tab != calls)
		e.caller = text_clean(tab + strlen("\tby "), SIZE_MAX);
	*tab = '\0';
	e.name = text_clean(line, SIZE_MAX);
	if (!parse_calls(&e, calls + 1))
		refuse(r,
		       "what stands behind the last tab is no number of calls: neither \"100\" nor "
		       "\"100..104 of 5 runs\"");
	r->entries = memory_grow(r->entries, r->n, sizeof(*r->entries));
	r->entries[r->n++] = (struct numbered){ e, r->line };
}

static void
parse_head(struct reading *r, char *line)
{
	const size_t len = strlen(BASELINE_MAGIC);

	if (r->line == 1 &&
	    (strncmp(line, BASELINE_MAGIC, len) != 0 || (line[len] != '\t' && line[len] != '\0')))
		refuse(r, "no baseline of this version: it does not begin with \"" BASELINE_MAGIC
		          "\"");
	if (r->line == 2)
		r->program = text_clean(line, MOST_PATH);
}

static int
compare(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;
	const int c = baseline_compare(x->entry.name, x->entry.caller, &y->entry);

	return c != 0 ? c : x->line < y->line ? -1 : x->line > y->line;
}

static void
take_entries(struct reading *r, struct baseline *b)
{
	*b = (struct baseline){ .program = r->program };
	b->entry = memory_array(r->n, sizeof(*b->entry));
	if (r->n > 0)
		qsort(r->entries, r->n, sizeof(*r->entries), compare);
	for (; b->n < r->n; b->n++) {
		const struct baseline_entry *e = &r->entries[b->n].entry;

		r->line = r->entries[b->n].line;
		if (b->n > 0 && baseline_compare(e->name, e->caller, &b->entry[b->n - 1]) == 0)
			refuse(r, "the same function, or arc, is on a line before it");
		b->entry[b->n] = *e;
	}
	free(r->entries);
}

static void
read_lines(struct reading *r, FILE *f)
{
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	while ((len = getline(&line, &size, f)) > 0) {
		r->line++;
		if (line[len - 1] == '\n')
			line[--len] = '\0';
		if (r->line <= 2)
			parse_head(r, line);
		if (strlen(line) != (size_t)len)
			refuse(r, "there is a byte 0 in it");
		if (r->line > 2)
			parse_entry(r, line);
	}
	if (ferror(f))
		err(EXIT_BAD, "%s", r->name);
	free(line);
}

bool
baseline_read(struct baseline *b, const char *path)
{
	const char *name = text_clean(path, MOST_PATH);
	struct reading r = { .name = name };
	struct stat st;
	const int fd = regular_open(path, &st);
	FILE *f;

	if (fd < 0 && errno == ENOENT)
		return false;
	if (fd < 0 && errno == ENOTSUP)
		errx(EXIT_BAD, "%s: not a regular file", name);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (f == NULL)
		err(EXIT_BAD, "%s", name);
	if (st.st_size > MOST_BYTES)
		errx(EXIT_BAD, "%s: no baseline: too large", name);
	read_lines(&r, f);
	fclose(f);
	if (r.line < 2) {
		r.line++;
		refuse(&r, "the file ends before its second line, which names the program");
	}
	take_entries(&r, b);
	return true;
}
