/*
 * Runs, as a command line names them: a file is a run, and so is a directory, whose gmon files are
 * of the processes of one run.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "gmon_layout.h"

#include <dirent.h>
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void
add_file(struct run *r, size_t *n, char *name)
{
	r->files = memory_grow(r->files, *n, sizeof(*r->files));
	r->files[(*n)++] = name;
}

static bool
is_gmon(const char *path)
{
	struct stat st;
	const int fd = regular_open(path, &st);
	char cookie[sizeof(GMON_MAGIC) - 1];
	bool is;

	if (fd < 0)
		return false;
	is = pread(fd, cookie, sizeof(cookie), 0) == (ssize_t)sizeof(cookie) &&
	     memcmp(cookie, GMON_MAGIC, sizeof(cookie)) == 0;
	close(fd);
	return is;
}

static void __attribute__((noreturn)) refuse(const char *name, const char *why)
{
	errx(EXIT_BAD, "%s: %s", text_clean(name, MOST_PATH), why);
}

/* Returns the gmon files of a directory, with NULL behind them. */
static char **
files_in(const char *name)
{
	struct run all = { 0 };
	struct dirent **found;
	const int many = scandir(name, &found, NULL, alphasort);
	size_t n = 0;

	if (many < 0)
		err(EXIT_BAD, "%s", text_clean(name, MOST_PATH));
	for (int i = 0; i < many; i++) {
		char *path = memory_text("%s/%s", name, found[i]->d_name);

		if (is_gmon(path))
			add_file(&all, &n, path);
		else
			free(path);
		free(found[i]);
	}
	free(found);
	if (n == 0)
		refuse(name, "there is no gmon file in it");
	add_file(&all, &n, NULL);
	return all.files;
}

static void
add_directory(struct run *r, size_t *n, const char *name, bool intervals)
{
	char **files = files_in(name), **chosen = files_choose(files, intervals);

	for (char **file = files; *file != NULL; file++)
		inputs_add(*file);
	for (char **file = chosen; *file != NULL; file++)
		add_file(r, n, *file);
	free(chosen);
	free(files);
}

/* With NULL behind what is there. */
static void
add_word(struct run *r, size_t *n, char *word, bool intervals)
{
	if (find_is_directory(word))
		add_directory(r, n, word, intervals);
	else
		add_file(r, n, word);
	add_file(r, n, NULL);
	(*n)--;
}

/* A file that says which run of profsup it is of. */
struct origin {
	uint64_t id;
	size_t run; /* of ours */
	const char *file;
};

static int
compare_origins(const void *a, const void *b)
{
	const struct origin *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->run < y->run ? -1 : x->run > y->run;
}

static struct origin *
origins_of(const struct run *runs, size_t nruns, size_t *n)
{
	struct origin *all = NULL;
	struct timespec when;

	*n = 0;
	for (size_t i = 0; i < nruns; i++)
		for (char **file = runs[i].files; *file != NULL; file++) {
			const struct origin o = { newest_run_of(*file, &when), i, *file };

			if (o.id == 0)
				continue;
			all = memory_grow(all, *n, sizeof(*all));
			all[(*n)++] = o;
		}
	if (all != NULL)
		qsort(all, *n, sizeof(*all), compare_origins);
	return all;
}

/* The processes of a run have different calls, so their files make a poor range. */
static void
note_apart(const struct run *runs, size_t nruns)
{
	size_t n, i = 1;
	struct origin *all = origins_of(runs, nruns, &n);

	while (i < n && (all[i].id != all[i - 1].id || all[i].run == all[i - 1].run))
		i++;
	if (i < n)
		note("%s and %s are of one run of profsup, and each counts as a run: name their "
		     "directory, or give --one-run",
		     text_clean(all[i - 1].file, MOST_PATH), text_clean(all[i].file, MOST_PATH));
	free(all);
}

/* A second run in the same directory doubles all calls. */
static void
note_together(const char *name, const struct run *r)
{
	size_t n, ids = 0;
	struct origin *all = origins_of(r, 1, &n);

	for (size_t i = 0; i < n; i++)
		ids += i == 0 || all[i].id != all[i - 1].id;
	if (ids > 1)
		note("%s: it has files of %zu runs of profsup, and counts as one run",
		     text_clean(name, MOST_PATH), ids);
	free(all);
}

struct run *
runs_find(char *const *words, bool one_run, bool intervals, size_t *nruns)
{
	char **chosen = files_choose(words, intervals);
	struct run *runs = NULL;
	size_t n = 0;

	*nruns = 0;
	for (char **word = chosen; *word != NULL; word++) {
		if (*nruns == 0 || !one_run) {
			runs = memory_grow(runs, *nruns, sizeof(*runs));
			runs[(*nruns)++] = (struct run){ 0 };
			n = 0;
		}
		add_word(&runs[*nruns - 1], &n, *word, intervals);
		if (!one_run)
			note_together(*word, &runs[*nruns - 1]);
	}
	note_apart(runs, *nruns);
	free(chosen);
	return runs;
}

struct model **
runs_load(const struct load *what, const struct run *runs, size_t n)
{
	struct model **models = memory_array(n, sizeof(struct model *));

	for (size_t i = 0; i < n; i++) {
		struct load one = *what;

		one.files = runs[i].files;
		one.lines = what->lines && i == 0;
		one.inlines = what->inlines && i == 0;
		one.no_names = i > 0;
		one.parts = true; /* who compares sees to them */
		models[i] = load_model(&one);
		if (one.lines)
			load_lines(models[i]);
	}
	return models;
}
