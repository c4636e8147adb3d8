/*
 * Names of functions that neither the order of a program's code nor a machine's kind of CPU
 * changes.
 *
 * A name is the demangled one, without what compilers add.  Where functions of different files have
 * one name, as static ones may, it has the last part of the file's name, and within a file the
 * line. A function that is in several objects, as one of a header, has the same name in all and is
 * one. So are those for which no source line is known, and the versions that target_clones makes.
 *
 * SPDX-License-Identifier: ISC
 */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

/* Stands for more than one function. */
static const uint32_t several = UINT32_MAX;

struct naming {
	const struct symbols *s;
	struct names bases, places, versions, wholes;
	uint32_t nversions;
	uint32_t *base;    /* of each function, its number */
	uint32_t *whole;   /* of each text in `wholes`: the function's number + 1, or several */
	uint32_t *nfiles;  /* of each base: different ones */
	uint32_t *nplaces; /* of each file of a base, by its number in `places` */
};

/* Whether the text is new among the names. */
static bool
is_new(struct names *names, const char *text, uint32_t *number)
{
	const uint32_t before = names->n;

	*number = names_number(names, text, NULL);
	return *number == before;
}

/* GCC and clang call the versions of foo foo.avx2 and the like, and one is foo.default: clang with
 * a number behind it. */
static void
find_versions(struct naming *n, size_t nfunctions)
{
	static const char mark[] = ".default";

	for (size_t i = 0; i < nfunctions; i++) {
		const char *symbol = n->s->functions[i].symbol, *dot = strchr(symbol, '.');
		char *name;

		if (dot == NULL || dot == symbol || strncmp(dot, mark, strlen(mark)) != 0 ||
		    strchr(".", dot[strlen(mark)]) == NULL)
			continue;
		name = memory_text("%.*s", (int)(dot - symbol), symbol);
		names_number(&n->versions, name, NULL);
		free(name);
	}
	n->nversions = n->versions.n;
}

static size_t
version_length(struct naming *n, const char *symbol)
{
	const size_t len = strcspn(symbol, ".");
	char *name;
	uint32_t number;

	if (n->nversions == 0 || len == 0 || symbol[len] == '\0')
		return strlen(symbol);
	name = memory_text("%.*s", (int)len, symbol);
	number = names_number(&n->versions, name, NULL);
	free(name);
	return number < n->nversions ? len : strlen(symbol);
}

static size_t
base_length(struct naming *n, const struct function *f)
{
	bool split;
	const size_t len = base_name_length(f, &split), version = version_length(n, f->symbol);

	return f->no_symbol || len < version ? len : version;
}

/* The name without what was added; a demangled one has " [clone .part.0]" at its end. */
static char *
base_text(struct naming *n, const struct function *f)
{
	const char *clone = strstr(f->name, " [clone ");

	if (strcmp(f->name, f->symbol) == 0)
		return memory_text("%.*s", (int)base_length(n, f), f->name);
	return memory_text("%.*s", clone != NULL ? (int)(clone - f->name) : (int)f->name_len,
	                   f->name);
}

/* The last part of its source file's name; "": not known. */
static const char *
file_of(const struct naming *n, size_t i, unsigned *line)
{
	const struct function *f = &n->s->functions[i];
	const char *file, *slash;

	*line = 0;
	if (f->no_symbol || !lines_find(&n->s->lines, f->low, &file, line))
		return "";
	slash = strrchr(file, '/');
	return slash != NULL ? slash + 1 : file;
}

static bool
is_whole(struct naming *n, size_t i)
{
	const struct function *f = &n->s->functions[i];

	return f->symbol[base_length(n, f)] == '\0';
}

/* The function of a base that no compiler has changed and that is local to a file, of 0: global. */
static uint32_t *
whole_in(struct naming *n, uint32_t base, uint32_t file)
{
	char *text = memory_text("%u\t%u", base, file);
	const uint32_t number = names_number(&n->wholes, text, NULL);

	free(text);
	return &n->whole[number];
}

static void
note_whole(struct naming *n, size_t i)
{
	uint32_t *whole;

	if (!is_whole(n, i))
		return;
	whole = whole_in(n, n->base[i], n->s->functions[i].local_to);
	*whole = *whole == 0 ? (uint32_t)i + 1 : several;
}

/* What a function was made of, as in note_whole(): a function of the same file, or else a global
 * one.  0: there is none. */
static uint32_t
whole_of(struct naming *n, size_t i)
{
	uint32_t whole;

	if (is_whole(n, i))
		return (uint32_t)i + 1;
	whole = *whole_in(n, n->base[i], n->s->functions[i].local_to);
	return whole != 0 ? whole : *whole_in(n, n->base[i], 0);
}

static uint32_t
place(struct naming *n, uint32_t base, const char *file, const char *line, bool *new)
{
	char *text = memory_text("%u\t%s\t%s", base, file, line);
	uint32_t number;

	*new = is_new(&n->places, text, &number);
	free(text);
	return number;
}

/* A part of a function may begin with the code of another that was inlined, so that its line is of
 * any file: it is asked only where there is nothing else that it may be a part of. */
static void
count_place(struct naming *n, size_t i)
{
	const uint32_t base = n->base[i];
	const bool whole = is_whole(n, i);
	unsigned line;
	const char *file = file_of(n, i, &line);
	char number[16];
	uint32_t at;
	bool new;

	if (!whole && whole_of(n, i) != 0)
		return;
	at = place(n, base, file, "", &new);
	n->nfiles[base] += new;
	snprintf(number, sizeof(number), "%u", whole ? line + 1 : 0);
	place(n, base, file, number, &new);
	n->nplaces[at] += new;
}

static const char *
full_name(struct naming *n, size_t i, char *base)
{
	const uint32_t whole = whole_of(n, i), number = n->base[i];
	const size_t of = whole == 0 || whole == several ? i : whole - 1;
	unsigned line;
	const char *file = file_of(n, of, &line);
	char *full;
	bool new;
	uint32_t at;

	if (*file == '\0')
		return base;
	at = place(n, number, file, "", &new);
	if (!new && n->nplaces[at] > 1 && is_whole(n, of))
		full = memory_text("%s (%s:%u)", base, file, line);
	else if (n->nfiles[number] > 1)
		full = memory_text("%s (%s)", base, file);
	else
		return base;
	free(base);
	return full;
}

const char **
call_names(const struct symbols *s, size_t nfunctions)
{
	const char **all = memory_array(nfunctions, sizeof(*all));
	char **base = memory_array(nfunctions, sizeof(*base));
	struct naming n = { .s = s };

	n.base = memory_array(nfunctions, sizeof(*n.base));
	n.whole = memory_array(2 * nfunctions, sizeof(*n.whole));
	n.nfiles = memory_array(nfunctions, sizeof(*n.nfiles));
	n.nplaces = memory_array(3 * nfunctions, sizeof(*n.nplaces));
	find_versions(&n, nfunctions);
	for (size_t i = 0; i < nfunctions; i++) {
		base[i] = base_text(&n, &s->functions[i]);
		is_new(&n.bases, base[i], &n.base[i]);
		note_whole(&n, i);
	}
	for (size_t i = 0; i < nfunctions; i++)
		count_place(&n, i);
	for (size_t i = 0; i < nfunctions; i++)
		all[i] = full_name(&n, i, base[i]);
	names_free(&n.bases);
	names_free(&n.places);
	names_free(&n.versions);
	names_free(&n.wholes);
	free(n.base);
	free(n.whole);
	free(n.nfiles);
	free(n.nplaces);
	free(base);
	return all;
}
