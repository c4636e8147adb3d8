/*
 * Source files.  Their names come from the program, so a file may be anything, and there may be any
 * number of them: one is shown only if it is a regular one, and has no more than is left of some
 * megabytes and lines for all together, and what is in it is made fit to be shown.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LINE = 4096, TAB = 8, MOST_NOTES = 10 };

static size_t bytes_left = 64 << 20, lines_left = 2 << 20; /* of all files */

struct known {
	struct source source;
	bool readable;
};

static struct names names;
static struct known *all; /* by the numbers of their names */

static int
open_source_at(const char *path, struct stat *st)
{
	const int fd = regular_open(path, st);

	if (fd < 0 || (size_t)st->st_size <= bytes_left)
		return fd;
	close(fd);
	errno = EFBIG;
	return -1;
}

/* Opens the file where it was compiled, or its path's longest end that is below the directory of
 * sources. */
static int
open_source(const struct report *r, const char *file, struct stat *st)
{
	const char *end = file;
	int fd = -1;

	for (; r->source != NULL && fd < 0 && end != NULL; end = strchr(end, '/')) {
		char *path;

		while (*end == '/')
			end++;
		path = memory_text("%s/%s", r->source, end);
		fd = open_source_at(path, st);
		free(path);
	}
	return fd >= 0 ? fd : open_source_at(file, st);
}

/* A line with blanks for its tabs. */
static char *
take_line(const char *text, size_t len)
{
	char *wide = memory_array(MOST_LINE + TAB + 1, 1), *clean;
	size_t n = 0;

	for (size_t i = 0; i < len && n < MOST_LINE; i++) {
		if (text[i] != '\t')
			wide[n++] = text[i];
		else
			do
				wide[n++] = ' ';
			while (n % TAB != 0);
	}
	while (n > 0 && (wide[n - 1] == '\r' || wide[n - 1] == ' '))
		n--;
	wide[n] = '\0';
	clean = text_clean(wide, MOST_LINE);
	free(wide);
	return clean;
}

/* False: there are too many. */
static bool
may_take_lines(const char *text, size_t len)
{
	size_t n = 1;

	for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + len - at))) != NULL;
	     at++)
		n++;
	if (n > lines_left || len > bytes_left) {
		errno = EFBIG;
		return false;
	}
	lines_left -= n;
	bytes_left -= len;
	return true;
}

static void
take_lines(struct source *s, const char *text, size_t len)
{
	for (size_t at = 0, end; at < len; at = end + 1) {
		const char *newline = memchr(text + at, '\n', len - at);

		end = newline == NULL ? len : (size_t)(newline - text);
		s->line = memory_grow(s->line, s->n, sizeof(*s->line));
		s->line[s->n++] = take_line(text + at, end - at);
	}
}

/* Says so of a file that was changed after the program was built, as far as their times tell. */
static void
compare_with_program(const struct report *r, const char *file, const struct timespec *changed)
{
	const struct symbols *s = r->m->symbols;
	static unsigned said;
	struct stat st;

	if (stat(s->path, &st) < 0 || changed->tv_sec < st.st_mtim.tv_sec ||
	    (changed->tv_sec == st.st_mtim.tv_sec && changed->tv_nsec <= st.st_mtim.tv_nsec))
		return;
	if (said++ < MOST_NOTES)
		note("%s: it is newer than %s: costs may stand at wrong lines", file, s->program);
	else if (said == MOST_NOTES + 1)
		note("%s and others: they are newer than %s, too", file, s->program);
}

static bool
read_source(const struct report *r, const char *file, struct source *s)
{
	struct stat st;
	const int fd = open_source(r, file, &st);
	size_t size, have = 0;
	ssize_t n = 0;
	bool may;
	char *text;

	if (fd < 0)
		return false;
	size = (size_t)st.st_size;
	text = memory_array(size + 1, 1);
	do {
		n = read(fd, text + have, size - have);
		have += n > 0 ? (size_t)n : 0;
	} while (have < size && (n > 0 || (n < 0 && errno == EINTR)));
	close(fd);
	may = n >= 0 && may_take_lines(text, have);
	if (may) {
		take_lines(s, text, have);
		compare_with_program(r, file, &st.st_mtim);
	}
	free(text);
	return may;
}

/* A program may name as many files as it likes. */
static void
say_unreadable(const char *file)
{
	static unsigned said;

	if (said++ < MOST_NOTES)
		note("%s: %s (--source names a directory of sources)", file,
		     errno == ENOTSUP ? "not a regular file" : strerror(errno));
	else if (said == MOST_NOTES + 1)
		note("%s and others: they can't be read either", file);
}

const struct source *
source_find(const struct report *r, const char *file)
{
	const uint32_t before = names.n, number = names_number(&names, file, NULL);

	if (number == before) {
		struct known k = { 0 };

		k.readable = read_source(r, file, &k.source);
		if (!k.readable)
			say_unreadable(file);
		all = memory_grow(all, number, sizeof(*all));
		all[number] = k;
	}
	return all[number].readable ? &all[number].source : NULL;
}
