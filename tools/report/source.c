/*
 * Source files.  Their names come from the program, so a file may be anything: it is shown only if
 * it is a regular one, of no more than some megabytes, and what is in it is made fit to be shown.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 64 << 20, MOST_LINE = 4096, TAB = 8 };

struct known {
	struct known *next;
	const char *file;
	struct source source;
	bool readable;
};

static struct known *all;

static int
open_regular(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MOST_BYTES) {
		*size = (size_t)st.st_size;
		return fd;
	}
	close(fd);
	errno = EFBIG;
	return -1;
}

/* Opens the file where it was compiled, or its path's longest end that is below the directory of
 * sources. */
static int
open_source(const struct report *r, const char *file, size_t *size)
{
	const char *end = file;
	int fd = -1;

	for (; r->source != NULL && fd < 0 && end != NULL; end = strchr(end, '/')) {
		char *path;

		while (*end == '/')
			end++;
		path = memory_text("%s/%s", r->source, end);
		fd = open_regular(path, size);
		free(path);
	}
	return fd >= 0 ? fd : open_regular(file, size);
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

static bool
read_source(const struct report *r, struct known *k)
{
	size_t size = 0, have = 0;
	const int fd = k->file == NULL ? -1 : open_source(r, k->file, &size);
	ssize_t n = 0;
	char *text;

	if (fd < 0)
		return false;
	text = memory_array(size + 1, 1);
	do {
		n = read(fd, text + have, size - have);
		have += n > 0 ? (size_t)n : 0;
	} while (have < size && (n > 0 || (n < 0 && errno == EINTR)));
	close(fd);
	take_lines(&k->source, text, have);
	free(text);
	return n >= 0;
}

const struct source *
source_find(const struct report *r, const char *file)
{
	struct known *k = all;

	while (k != NULL && strcmp(k->file, file) != 0)
		k = k->next;
	if (k == NULL) {
		k = memory_array(1, sizeof(*k));
		k->file = file;
		k->next = all;
		all = k;
		k->readable = read_source(r, k);
		if (!k->readable)
			note("%s: %s (--source names a directory of sources)", file,
			     strerror(errno));
	}
	return k->readable ? &k->source : NULL;
}
