/*
 * Where the files of this run are, for the line at its end.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include "functions.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Gets the path of a directory, or of a program, as it is, for who opens it; "" if that is too
 * long, or is one of another mount namespace.  No file system is asked. */
void
written_where(int dir, char where[WRITTEN_MOST])
{
	ssize_t n =
	    mounts_is_ours(dir) ? readlink(fds_path(dir).text, where, WRITTEN_MOST - 1) : -1;

	if (n < 0 || n == WRITTEN_MOST - 1 || where[0] != '/')
		n = 0;
	where[n] = '\0';
}

/* Keeps what a file's name has in common with those before it. */
static void
compare_name(struct written *w, const char *name)
{
	const size_t len = strlen(w->name), other = strlen(name);
	size_t head = 0, tail = 0;

	while (head < w->head && name[head] == w->name[head])
		head++;
	while (tail < w->tail && tail < len - head && tail < other - head &&
	       name[other - 1 - tail] == w->name[len - 1 - tail])
		tail++;
	w->head = head;
	w->tail = tail;
}

/* Writes a file's name, behind that of its directory if that is known. */
void
written_path(const char *where, const char *name, char path[WRITTEN_PATH])
{
	const char *between = *where == '\0' || strcmp(where, "/") == 0 ? "" : "/";

	snprintf(path, WRITTEN_PATH, "%s%s%s", where, between, name);
}

/* A file has so many ticks.  The one with the most is named if there is no name for all: what names
 * have in common, any of them has. */
void
written_ticks(struct written *w, const char *dir, const char *name, const char *program,
              const char *path, uint64_t ticks)
{
	if (ticks <= w->ticks && *w->name != '\0')
		return;
	snprintf(w->dir, sizeof(w->dir), "%s", dir);
	snprintf(w->name, sizeof(w->name), "%s", name);
	symname_clean(w->name);
	snprintf(w->program, sizeof(w->program), "%s", program);
	snprintf(w->path, sizeof(w->path), "%s", path);
	w->ticks = ticks;
}

/* Counts one more file. */
void
written_add(struct written *w, const char *dir, const char *name, const char *program,
            const char *path, uint64_t ticks)
{
	char clean[WRITTEN_MOST];

	snprintf(clean, sizeof(clean), "%s", name);
	symname_clean(clean);
	if (w->files++ == 0) {
		w->head = w->tail = strlen(clean);
	} else {
		compare_name(w, clean);
		w->elsewhere |= strcmp(w->dir, dir) != 0;
		w->mixed |= strcmp(w->program, program) != 0;
	}
	written_ticks(w, dir, name, program, path, ticks);
}

/* Writes what there is of call stacks. */
static void
say_stacks(const struct written *w, char *text, size_t size)
{
	const char *all = w->files == 1 ? " and its stacks" : " and their stacks";

	if (w->stacks != 0 && w->stacks != w->files)
		snprintf(text, size, " and %llu of stacks", (unsigned long long)w->stacks);
	else
		snprintf(text, size, "%s", w->stacks == 0 ? "" : all);
}

/* Writes "1 file: PATH", or "3 files in DIRECTORY", and that there are stacks. */
void
written_say(const struct written *w, char *text, size_t size)
{
	char stacks[64], path[WRITTEN_PATH];

	say_stacks(w, stacks, sizeof(stacks));
	written_path(w->dir, w->name, path);
	if (w->files == 1)
		snprintf(text, size, "1 file%s: %s%s", stacks, path,
		         *w->dir == '\0' ? ", in a directory of its program's" : "");
	else
		snprintf(text, size, "%llu files%s%s%s", (unsigned long long)w->files, stacks,
		         *w->dir == '\0' || w->elsewhere ? "" : " in ", w->elsewhere ? "" : w->dir);
}

/* Whether a shell takes it as it stands. */
static bool
is_plain(const char *text)
{
	for (; *text != '\0'; text++)
		if ((*text < '0' || *text > '9') && (*text < 'a' || *text > 'z') &&
		    (*text < 'A' || *text > 'Z') && strchr("+,-./:=@_", *text) == NULL)
			return false;
	return true;
}

/* Writes the program's path, as seen from our directory, with a space behind it; "" if it is not
 * known, or needs quotes. */
static void
say_program(const struct written *w, const char *here, char *text, size_t size)
{
	const size_t len = here == NULL ? 0 : strlen(here);
	const bool is_below = len > 1 && strncmp(w->path, here, len) == 0 && w->path[len] == '/';
	const char *path = is_below ? w->path + len + 1 : w->path;

	snprintf(text, size, "%s%s", path, *path == '\0' ? "" : " ");
	if (!is_plain(path) || *path == '-')
		text[0] = '\0';
}

/* Writes a pattern of the shell's that the files' names fit, and that divides no number. */
static void
say_pattern(const struct written *w, char *text, size_t size)
{
	const size_t len = strlen(w->name);
	size_t head = w->head, tail = w->tail;

	while (head > 0 && isdigit((unsigned char)w->name[head - 1]))
		head--;
	while (tail > 0 && isdigit((unsigned char)w->name[len - tail]))
		tail--;
	snprintf(text, size, "%.*s*%s", (int)head, w->name, w->name + len - tail);
}

/* Whether one pattern names all files, and all of one program. */
static bool
are_one(const struct written *w)
{
	return w->files > 1 && !w->elsewhere && !w->mixed && w->head < strlen(w->name);
}

/* Writes the words by which a reader is told which files to read; "" if there are none, or if a
 * shell would not take their names.  `here` is our directory; NULL: that is not known. */
void
written_words(const struct written *w, const char *here, char *text, size_t size)
{
	const bool is_here = here != NULL && strcmp(w->dir, here) == 0;
	const char *dir = is_here ? "" : w->dir;
	const char *between = is_here || strcmp(dir, "/") == 0 ? "" : "/";
	char program[WRITTEN_MOST + 1], pattern[WRITTEN_MOST + 2];

	text[0] = '\0';
	if (w->files == 0 || *w->dir == '\0' || !is_plain(dir) || !is_plain(w->name) ||
	    *w->name == '-')
		return;
	say_program(w, here, program, sizeof(program));
	say_pattern(w, pattern, sizeof(pattern));
	snprintf(text, size, "%s%s%s%s%s", are_one(w) && w->parts ? "--intervals " : "", program,
	         dir, between, are_one(w) ? pattern : w->name);
}

/* Writes how to look at the files, or "". */
void
written_hint(const struct written *w, const char *here, char *text, size_t size)
{
	char words[4 * WRITTEN_MOST];

	written_words(w, here, words, sizeof(words));
	text[0] = '\0';
	if (*words != '\0')
		snprintf(text, size, "to look at %s: profsup-report %s",
		         are_one(w)      ? "them"
		         : w->files == 1 ? "it"
		                         : "one",
		         words);
}
