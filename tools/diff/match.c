/*
 * Functions of both programs, by name.
 *
 * A name is the linker's, without what compilers add when they make several functions of one:
 * foo, foo.part.0, foo.isra.0 and foo.cold are one function.  Several functions of one program may
 * have the same name, such as static ones of different files.  If the files of all of them are
 * known in both programs, they are told apart by the last part of the file's name, so that the tree
 * may have moved; and if not, or if they are of the same file, by their order in the program.
 * The symbol table says which functions are local to one file.  So a part of one is never taken for
 * a part of another: of the one, nothing else may be left.
 *
 * A function that is inlined into others is the same as the one of its name and file that is not: a
 * compiler may do both, and another build may do otherwise.
 *
 * SPDX-License-Identifier: ISC
 */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

struct matching {
	struct diff *d;
	struct names bases, again, keys, families, members;
	bool *ambiguous;          /* of each base: several functions of one program have it */
	bool *no_file;            /* of each base: a file is not known */
	const char **file[SIDES]; /* of each base: that of one of its functions, or NULL */
	uint32_t *counts;         /* of each text in `again` */
	bool *has_whole;          /* of each text in `families`: one that others are made of */
	uint32_t *numbers;        /* of each text in `members` */
	uint32_t *base[SIDES], *number[SIDES];
	uint32_t *first[SIDES]; /* of each base: the first function's number + 1 */
};

static size_t
functions_of(const struct diff *d, int side)
{
	return d->sides[side].nsubjects;
}

static const struct function *
function(const struct diff *d, int side, size_t i)
{
	const struct subject *s = &d->sides[side].subjects[i];

	return &s->m->symbols->functions[s->function];
}

/* The last part of the name of its source file; "": not known. */
static const char *
file_of(const struct diff *d, int side, size_t i)
{
	const struct subject *subject = &d->sides[side].subjects[i];
	const char *file, *slash;
	unsigned line;

	if (function(d, side, i)->no_symbol ||
	    !where_function(subject->m, subject->function, &file, &line))
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

/* The functions of one side and one base that are local to one file; of 0: global ones. */
static bool *
family_has_whole(struct matching *m, int side, uint32_t base, uint32_t local_to)
{
	char *text = memory_text("%d\n%u\n%u", side, base, local_to);
	const uint32_t number = names_number(&m->families, text, NULL);

	free(text);
	return &m->has_whole[number];
}

/* Whether others may be made of a function: it is unchanged, or global and no part. */
static bool
is_whole(const struct function *f)
{
	bool split;
	const size_t len = base_name_length(f, &split);

	return !f->inlined && (f->symbol[len] == '\0' || (f->local_to == 0 && !split));
}

/* The file whose function it is, or is made of: its own, or that of a global one, 0. */
static uint32_t
family_of(struct matching *m, int side, size_t i)
{
	const uint32_t base = m->base[side][i], own = function(m->d, side, i)->local_to;

	return !*family_has_whole(m, side, base, own) && *family_has_whole(m, side, base, 0) ? 0
	                                                                                     : own;
}

/* Whether two functions are of different files.  One that a header has is in several objects. */
static bool
are_apart(struct matching *m, int side, size_t one, size_t other)
{
	const char *file = file_of(m->d, side, one), *others = file_of(m->d, side, other);

	return family_of(m, side, one) != family_of(m, side, other) &&
	       (*file == '\0' || strcmp(file, others) != 0);
}

/* Whether a function is another one than those of its base before it. */
static bool
is_another(struct matching *m, int side, size_t i, uint32_t base)
{
	const struct subject *subject = &m->d->sides[side].subjects[i];
	const struct function *f = function(m->d, side, i);
	const char *file = file_of(m->d, side, i), *known = m->file[side][base];
	uint32_t *first = &m->first[side][base];

	if (!f->inlined && number_again(m, side, f->symbol, "") > 0)
		return true;
	if (!f->inlined && *first != 0 && are_apart(m, side, *first - 1, i))
		return true;
	if (!f->inlined && *first == 0)
		*first = (uint32_t)i + 1;
	/* Where a function begins is not known that has no part in the profile. */
	if (known == NULL && *file != '\0' &&
	    (f->inlined || model_has(subject->m, subject->function)))
		m->file[side][base] = file;
	return f->inlined && known != NULL && *file != '\0' && strcmp(known, file) != 0;
}

static void
find_bases(struct matching *m, int side)
{
	struct side *s = &m->d->sides[side];

	for (size_t i = 0; i < functions_of(m->d, side); i++) {
		const struct function *f = function(m->d, side, i);
		char *base = memory_text("%.*s", (int)base_name_length(f, &s->split[i]), f->symbol);
		const uint32_t b = m->base[side][i] = names_number(&m->bases, base, NULL);

		if (is_whole(f))
			*family_has_whole(m, side, b, f->local_to) = true;
		free(base);
	}
	for (size_t i = 0; i < functions_of(m->d, side); i++) {
		const uint32_t b = m->base[side][i];

		m->ambiguous[b] |= is_another(m, side, i, b);
		m->no_file[b] |= *file_of(m->d, side, i) == '\0';
	}
}

static const char *
key_file(const struct matching *m, int side, size_t i)
{
	const uint32_t base = m->base[side][i];

	return m->ambiguous[base] && !m->no_file[base] ? file_of(m->d, side, i) : "";
}

/* Numbers a function among those of its base, and of its file, if that is known.  A function and
 * what was made of it have one number. */
static void
number_function(struct matching *m, int side, size_t i)
{
	const struct function *f = function(m->d, side, i);
	const uint32_t family = family_of(m, side, i);
	const char *file = key_file(m, side, i);
	char *symbol, *text;
	uint32_t before, member;

	if (!m->ambiguous[m->base[side][i]] || f->inlined)
		return;
	symbol = memory_text("%u\n%s", family, f->symbol);
	text = memory_text("%d\n%u\n%s\n%u\n%u", side, m->base[side][i], file, family,
	                   number_again(m, side + SIDES, symbol, file));
	before = m->members.n;
	member = names_number(&m->members, text, NULL);
	if (member == before) {
		char *base = memory_text("%u", m->base[side][i]);

		m->numbers[member] = number_again(m, side + 2 * SIDES, base, file);
		free(base);
	}
	m->number[side][i] = m->numbers[member];
	free(symbol);
	free(text);
}

/* By file, in the order in which the linker had them: the code of one may be in several places. */
static const struct matching *sorting;
static int sorting_side;

static int
compare_places(const void *a, const void *b)
{
	const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const uint32_t x = function(sorting->d, sorting_side, i)->local_to;
	const uint32_t y = function(sorting->d, sorting_side, j)->local_to;

	if (x != y)
		return x < y ? -1 : 1;
	return i < j ? -1 : i > j;
}

static void
number_functions(struct matching *m, int side)
{
	const size_t n = functions_of(m->d, side);
	uint32_t *order = memory_array(n, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	sorting = m;
	sorting_side = side;
	qsort(order, n, sizeof(*order), compare_places);
	for (size_t i = 0; i < n; i++)
		number_function(m, side, order[i]);
	free(order);
}

/* A name that is shown: without what was added, and with what tells it from others. */
static const char *
shown_name(const struct function *f, size_t base_len, const char *file, uint32_t number)
{
	const char *name = f->inlined ? naming_plain(f) : f->name;
	const char *clone = strstr(name, " [clone ");
	const size_t len = strcmp(name, f->symbol) == 0 ? base_len
	                   : clone != NULL              ? (size_t)(clone - name)
	                                                : strlen(name);
	char more[32] = "";

	if (number > 0)
		snprintf(more, sizeof(more), " #%u", number + 1);
	if (*file != '\0')
		return memory_text("%.*s (%s)%s", (int)len, name, file, more);
	return memory_text("%.*s%s", (int)len, name, more);
}

static void
take_function(struct matching *m, int side, size_t i)
{
	struct diff *d = m->d;
	const struct function *f = function(d, side, i);
	const uint32_t base = m->base[side][i], before = m->keys.n;
	const char *file = key_file(m, side, i);
	const uint32_t number = m->number[side][i];
	char *key = memory_text("%u\n%s\n%u", base, file, number);
	const uint32_t entry = names_number(&m->keys, key, NULL);
	bool split;
	const size_t len = base_name_length(f, &split);
	struct entry *e = &d->entries[entry];

	free(key);
	d->sides[side].entries[i] = entry;
	e->there[side] = true;
	e->symbol[side] |= !f->inlined;
	e->self.calls.inlined[side] |= f->inlined;
	e->total.calls.inlined[side] |= f->inlined;
	if (entry == before || (f->symbol[len] == '\0' && !f->inlined))
		e->name = shown_name(f, len, file, number);
}

static void
mark_inlined(struct diff *d)
{
	for (size_t i = 0; i < d->nentries; i++)
		if (!d->entries[i].symbol[BEFORE] && !d->entries[i].symbol[AFTER])
			d->entries[i].name = memory_text("%s" NAMING_INLINED, d->entries[i].name);
}

void
match(struct diff *d)
{
	const size_t n = functions_of(d, BEFORE) + functions_of(d, AFTER);
	struct matching m = { .d = d };

	m.ambiguous = memory_array(n, sizeof(*m.ambiguous));
	m.no_file = memory_array(n, sizeof(*m.no_file));
	m.counts = memory_array(3 * n, sizeof(*m.counts));
	m.has_whole = memory_array(2 * n, sizeof(*m.has_whole));
	m.numbers = memory_array(n, sizeof(*m.numbers));
	for (int side = 0; side < SIDES; side++) {
		struct side *s = &d->sides[side];

		m.base[side] = memory_array(functions_of(d, side), sizeof(*m.base[side]));
		m.number[side] = memory_array(functions_of(d, side), sizeof(*m.number[side]));
		m.first[side] = memory_array(n, sizeof(*m.first[side]));
		m.file[side] = memory_array(n, sizeof(char *));
		s->entries = memory_array(functions_of(d, side), sizeof(*s->entries));
		s->split = memory_array(functions_of(d, side), sizeof(*s->split));
		find_bases(&m, side);
	}
	d->entries = memory_array(n, sizeof(*d->entries));
	for (int side = 0; side < SIDES; side++)
		number_functions(&m, side);
	for (int side = 0; side < SIDES; side++)
		for (size_t i = 0; i < functions_of(d, side); i++)
			take_function(&m, side, i);
	d->nentries = m.keys.n;
	mark_inlined(d);
	for (int side = 0; side < SIDES; side++) {
		free(m.base[side]);
		free(m.number[side]);
		free(m.first[side]);
		free(m.file[side]);
	}
	names_free(&m.bases);
	names_free(&m.again);
	names_free(&m.keys);
	names_free(&m.families);
	names_free(&m.members);
	free(m.ambiguous);
	free(m.no_file);
	free(m.counts);
	free(m.has_whole);
	free(m.numbers);
}
