/*
 * Parts of functions.  A compiler puts code that it takes for unlikely into a function of its own,
 * foo.cold, and code behind a function's first test into foo.part.0.  For who has written foo, all
 * of that is foo: its code is added to that of the function, unless it is asked for by itself.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "search.h"

#include <stdlib.h>
#include <string.h>

/* Longer names have no parts: those of a file may all be ends of one text, and as long as that. */
enum { MOST_NAME = 1000 };

static size_t
name_length(const char *name)
{
	const size_t len = strnlen(name, MOST_NAME);

	return len < MOST_NAME ? len : 0;
}

/* The length of the name of the function that one is a part of; 0: it is no part. */
static size_t
whole_length(const char *name)
{
	size_t len = name_length(name), shorter;
	bool split = false;

	while (!split && (shorter = base_name_without_suffix(name, len, &split)) < len)
		len = shorter;
	return split ? len : 0;
}

/* Several static functions may have one name, and so may their parts. */
struct part {
	const char *name; /* its own */
	size_t len;       /* of the function's */
	uint32_t function, file;
	uint32_t number, same; /* which of so many of the same name and file */
	size_t first;          /* of the parts of functions of that name */
};

/* What parts may be of. */
struct whole {
	size_t first;
	uint32_t function, file;
};

struct parts {
	struct part *part;
	size_t n;
};

static int
compare_wholes(const struct part *x, const char *name, size_t len)
{
	const size_t shorter = x->len < len ? x->len : len;
	const int order = memcmp(x->name, name, shorter);

	return order != 0 ? order : (x->len > len) - (x->len < len);
}

static int
compare(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	int order = compare_wholes(x, y->name, y->len);

	order = order != 0 ? order : strcmp(x->name, y->name);
	order = order != 0 ? order : (x->file > y->file) - (x->file < y->file);
	return order != 0 ? order : (x->function > y->function) - (x->function < y->function);
}

static void
find_parts(struct parts *p, const struct symbols *s)
{
	for (uint32_t f = 1; f < s->nfunctions; f++) {
		const char *name = s->functions[f].raw;
		const size_t len = s->functions[f].no_symbol ? 0 : whole_length(name);

		if (len == 0)
			continue;
		p->part = memory_grow(p->part, p->n, sizeof(*p->part));
		p->part[p->n++] = (struct part){
			.name = name, .len = len, .function = f, .file = s->functions[f].local_to
		};
	}
	if (p->n > 0)
		qsort(p->part, p->n, sizeof(*p->part), compare);
}

static void
number_parts(struct parts *p)
{
	for (size_t i = 0, n; i < p->n; i += n) {
		const struct part *of = &p->part[i];

		for (n = 1;
		     i + n < p->n && of[n].file == of->file && strcmp(of[n].name, of->name) == 0;)
			n++;
		for (size_t j = 0; j < n; j++) {
			p->part[i + j].number = (uint32_t)j;
			p->part[i + j].same = (uint32_t)n;
			p->part[i + j].first =
			    i > 0 && compare_wholes(&p->part[i - 1], of->name, of->len) == 0
				? p->part[i - 1].first
				: i;
		}
	}
}

/* The first part of a function of that name; p->n: it has none. */
static size_t
first_part(const struct parts *p, const char *name)
{
	const size_t len = name_length(name);
	size_t at;

	SEARCH(at, p->n, compare_wholes(&p->part[at], name, len) < 0);
	return at < p->n && compare_wholes(&p->part[at], name, len) == 0 ? at : p->n;
}

static int
compare_firsts(const void *a, const void *b)
{
	const struct whole *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

/* Returns the functions that have parts, by name, by file, and then in their order. */
static struct whole *
find_wholes(const struct parts *p, const struct symbols *s, size_t *n)
{
	struct whole *all = NULL;

	*n = 0;
	for (uint32_t f = 1; f < s->nfunctions; f++) {
		const size_t first = first_part(p, s->functions[f].raw);

		if (first == p->n)
			continue;
		all = memory_grow(all, *n, sizeof(*all));
		all[(*n)++] = (struct whole){ first, f, s->functions[f].local_to };
	}
	if (*n > 0)
		qsort(all, *n, sizeof(*all), compare_firsts);
	return all;
}

/* The functions that a part may be of, all of one file. */
struct range {
	size_t at, n;
};

static struct range
wholes_of(const struct whole *all, size_t n, size_t first, uint32_t file)
{
	struct range r;
	size_t end;

	SEARCH(r.at, n,
	       all[r.at].first < first || (all[r.at].first == first && all[r.at].file < file));
	SEARCH(end, n,
	       all[end].first < first || (all[end].first == first && all[end].file <= file));
	r.n = end - r.at;
	return r;
}

/* Notes for each part what it is a part of.  It is local to the file of its function: so that is
 * the one which is local to this file, too, or else the global one, and none of another file, which
 * may have the same name.  Where a file has several, or files are not known, linkers keep the
 * order: if as many functions have the name as there are parts of it, they go together in their
 * order, and else nobody knows which belong together. */
static void
match(const struct parts *p, const struct whole *all, size_t n, uint32_t *whole)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct part *part = &p->part[i];
		const struct range own = wholes_of(all, n, part->first, part->file);
		const struct range global = wholes_of(all, n, part->first, 0);

		if (own.n > 0 && own.n == part->same)
			whole[part->function] = all[own.at + part->number].function;
		else if (own.n == 1)
			whole[part->function] = all[own.at].function;
		else if (own.n == 0 && global.n == 1)
			whole[part->function] = all[global.at].function;
	}
}

void
parts_join(struct symbols *s)
{
	struct parts p = { 0 };
	struct whole *all;
	uint32_t *whole;
	size_t n;

	find_parts(&p, s);
	if (p.n == 0)
		return;
	number_parts(&p);
	all = find_wholes(&p, s, &n);
	whole = memory_array(s->nfunctions, sizeof(*whole));
	match(&p, all, n, whole);
	/* A part may be one of a part: names get shorter, so there is an end. */
	for (size_t i = 0; i < s->nspans; i++) {
		struct span *span = &s->spans[i];

		span->part = whole[span->function] != 0 ? span->function : 0;
		while (whole[span->function] != 0)
			span->function = whole[span->function];
	}
	free(whole);
	free(all);
	free(p.part);
}

/* Returns the part of a function that an address is in; 0: it is in none. */
uint32_t
parts_at(const struct symbols *s, uint64_t pc)
{
	const size_t i = symbols_span(s, pc);

	return i < s->nspans && s->spans[i].low <= pc ? s->spans[i].part : 0;
}
