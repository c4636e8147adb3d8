/*
 * Functions of both programs, by name.
 *
 * A name is the linker's, without what compilers add when they make several functions of one:
 * foo, foo.part.0, foo.isra.0 and foo.cold are one function.  Several functions of one program may
 * have the same name, such as static ones of different files.  If the files of all of them are
 * known in both programs, they are told apart by the last part of the file's name, so that the tree
 * may have moved; and if not, or if they are of the same file, by their order in the program.
 *
 * SPDX-License-Identifier: ISC
 */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

struct matching {
	struct diff *d;
	struct names bases, again, keys;
	bool *ambiguous;  /* of each base: several functions of one program have it */
	bool *no_file;    /* of each base: a file is not known */
	uint32_t *counts; /* of each text in `again` */
	uint32_t *base[SIDES];
};

static size_t
functions_of(const struct diff *d, int side)
{
	return d->sides[side].first->symbols->nfunctions;
}

static const struct function *
function(const struct diff *d, int side, size_t i)
{
	return &d->sides[side].first->symbols->functions[i];
}

/* The last part of the name of its source file; "": not known. */
static const char *
file_of(const struct diff *d, int side, const struct function *f)
{
	const char *file, *slash;
	unsigned line;

	if (f->no_symbol ||
	    !lines_find(&d->sides[side].first->symbols->lines, f->low, &file, &line))
		return "";
	slash = strrchr(file, '/');
	return slash != NULL ? slash + 1 : file;
}

/* Returns how many of one side's functions had this symbol, and file, before. */
static uint32_t
number_again(struct matching *m, int side, const char *symbol, const char *file)
{
	char *text = memory_text("%d\n%s\n%s", side, symbol, file);
	const uint32_t before = m->again.n, i = names_number(&m->again, text, NULL);

	if (i == before)
		m->counts[i] = 0;
	free(text);
	return m->counts[i]++;
}

static void
find_bases(struct matching *m, int side)
{
	struct side *s = &m->d->sides[side];

	for (size_t i = 0; i < functions_of(m->d, side); i++) {
		const struct function *f = function(m->d, side, i);
		char *base = memory_text("%.*s", (int)base_name_length(f, &s->split[i]), f->symbol);
		const uint32_t b = m->base[side][i] = names_number(&m->bases, base, NULL);

		m->ambiguous[b] |= number_again(m, side, f->symbol, "") > 0;
		m->no_file[b] |= *file_of(m->d, side, f) == '\0';
		free(base);
	}
}

/* A name that is shown: without what was added, and with what tells it from others. */
static const char *
shown_name(const struct function *f, size_t base_len, const char *file, uint32_t number)
{
	const char *clone = strstr(f->name, " [clone ");
	const size_t len = strcmp(f->name, f->symbol) == 0 ? base_len
	                   : clone != NULL                 ? (size_t)(clone - f->name)
	                                                   : f->name_len;
	char more[32] = "";

	if (number > 0)
		snprintf(more, sizeof(more), " #%u", number + 1);
	if (*file != '\0')
		return memory_text("%.*s (%s)%s", (int)len, f->name, file, more);
	return memory_text("%.*s%s", (int)len, f->name, more);
}

static void
take_function(struct matching *m, int side, size_t i)
{
	struct diff *d = m->d;
	const struct function *f = function(d, side, i);
	const uint32_t base = m->base[side][i], before = m->keys.n;
	const bool by_file = m->ambiguous[base] && !m->no_file[base];
	const char *known = by_file ? file_of(d, side, f) : NULL;
	const char *file = known != NULL ? known : "";
	const uint32_t number =
	    m->ambiguous[base] ? number_again(m, side + SIDES, f->symbol, file) : 0;
	char *key = memory_text("%u\n%s\n%u", base, file, number);
	const uint32_t entry = names_number(&m->keys, key, NULL);
	bool split;
	const size_t len = base_name_length(f, &split);

	free(key);
	d->sides[side].entries[i] = entry;
	d->entries[entry].there[side] = true;
	if (entry == before || f->symbol[len] == '\0')
		d->entries[entry].name = shown_name(f, len, file, number);
}

void
match(struct diff *d)
{
	const size_t n = functions_of(d, BEFORE) + functions_of(d, AFTER);
	struct matching m = { .d = d };

	m.ambiguous = memory_array(n, sizeof(*m.ambiguous));
	m.no_file = memory_array(n, sizeof(*m.no_file));
	m.counts = memory_array(2 * n, sizeof(*m.counts));
	for (int side = 0; side < SIDES; side++) {
		struct side *s = &d->sides[side];

		m.base[side] = memory_array(functions_of(d, side), sizeof(*m.base[side]));
		s->entries = memory_array(functions_of(d, side), sizeof(*s->entries));
		s->split = memory_array(functions_of(d, side), sizeof(*s->split));
		find_bases(&m, side);
	}
	d->entries = memory_array(n, sizeof(*d->entries));
	for (int side = 0; side < SIDES; side++)
		for (size_t i = 0; i < functions_of(d, side); i++)
			take_function(&m, side, i);
	d->nentries = m.keys.n;
	for (int side = 0; side < SIDES; side++)
		free(m.base[side]);
	names_free(&m.bases);
	names_free(&m.again);
	names_free(&m.keys);
	free(m.ambiguous);
	free(m.no_file);
	free(m.counts);
}
