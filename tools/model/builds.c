/*
 * Which of the files are of the program as it is now.
 *
 * A program is built again and run again, and the files of the older builds are still there.  Bins
 * and arcs of different builds don't add up, so only the files of one build are taken: of the
 * program that is named, or of the only build whose program is found.  profsup-diff compares
 * builds, so it does not ask here.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

/* Programs are looked for of so many builds at most, which takes a while for each. */
enum { MOST_BUILDS = 64 };

struct build {
	const char *id, *file; /* the first file, or the program */
};

struct builds {
	struct build *build;
	size_t n;
};

/* What is no gmon file is of no build; who reads it says so. */
static const char *
id_of(const char *file)
{
	const char *id = build_id_of_gmon(file);

	return id != NULL ? id : "";
}

static void
add_build(struct builds *b, const char *id, const char *file)
{
	for (size_t i = 0; i < b->n; i++)
		if (strcmp(b->build[i].id, id) == 0 || b->n > MOST_BUILDS)
			return;
	b->build = memory_grow(b->build, b->n, sizeof(*b->build));
	b->build[b->n++] = (struct build){ id, file };
}

static void __attribute__((noreturn)) refuse_two(const char *one, const char *other)
{
	errx(EXIT_BAD,
	     "%s and %s: they are of different programs or builds, which can't be added up: name "
	     "one program before the files, or compare two builds by profsup-diff",
	     text_clean(one, MOST_PATH), text_clean(other, MOST_PATH));
}

/* Returns the program of the only build whose program is found; NULL: there is none. */
static const char *
find_build(const struct builds *b)
{
	const char *program = NULL, *file = NULL;

	if (b->n > MOST_BUILDS)
		errx(EXIT_BAD,
		     "the files are of more than %d builds: name the program before the files",
		     MOST_BUILDS);
	for (size_t i = 0; i < b->n; i++) {
		const char *one = find_program_if(b->build[i].file);

		if (one != NULL && program != NULL)
			refuse_two(file, b->build[i].file);
		if (one != NULL) {
			program = one;
			file = b->build[i].file;
		}
	}
	return program;
}

/* Leaves out the files of other builds than that of the program.  Prints how many. */
static char *const *
take_fitting(char *const *files, size_t n, const char *const *ids, const struct build *wanted)
{
	char **taken = memory_array(n + 1, sizeof(*taken));
	const char *one = NULL;
	size_t out = 0;

	for (size_t i = 0; i < n; i++)
		if (build_id_fits(ids[i], wanted->id))
			taken[out++] = files[i];
		else if (one == NULL)
			one = files[i];
	if (out == 0)
		errx(EXIT_BAD,
		     "%s: not the program that ran: none of the %zu files is of its build",
		     text_clean(wanted->file, MOST_PATH), n);
	if (out == n - 1)
		note("%s is left out: it is of another build (profsup-diff compares builds)",
		     text_clean(one, MOST_PATH));
	else if (out < n)
		note("%zu files, such as %s, are left out: they are of other builds "
		     "(profsup-diff compares builds)",
		     n - out, text_clean(one, MOST_PATH));
	return taken;
}

static char *const *
choose_build(char *const *files, const char **program, bool force)
{
	static struct builds b; /* what is found of them stays, until the tool ends */
	static struct build wanted;
	static const char **ids;
	size_t n = 0;

	while (files[n] != NULL)
		n++;
	ids = memory_array(n, sizeof(*ids));
	for (size_t i = 0; i < n; i++) {
		ids[i] = id_of(files[i]);
		if (*ids[i] != '\0')
			add_build(&b, ids[i], files[i]);
	}
	if (*program == NULL && b.n > 1 && !force)
		*program = find_build(&b);
	if (*program == NULL)
		*program = find_program(files, force);
	if (b.n > 1 && !force)
		wanted = (struct build){ build_id_read(*program), *program };
	return wanted.id == NULL ? files : take_fitting(files, n, ids, &wanted);
}

/* A directory may have files of many programs.  If none is named, that of the newest run is meant;
 * and if one is, its newest run, which may be older than that of another. */
char *const *
builds_choose(char *const *files, const char **program, bool force, bool last)
{
	if (last && *program == NULL)
		files = newest_choose(files);
	files = choose_build(files, program, force);
	return last ? newest_choose(files) : files;
}
