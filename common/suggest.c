/*
 * What a mistyped word of the command line may mean.  A command's help names all options and
 * formats, so what is offered is what there is.
 *
 * SPDX-License-Identifier: ISC
 */
#include "suggest.h"

#include <stdio.h>
#include <string.h>

/* A word with more than one wrong letter in three may mean anything. */
enum { MOST_LETTERS = 32, LETTERS_OF_A_MISTAKE = 3 };

static unsigned
least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* How many letters have to be changed, put in, left out or exchanged with the next one to make b of
 * a: the "optimal string alignment". */
static unsigned
distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned d[MOST_LETTERS + 1][MOST_LETTERS + 1];

	for (unsigned i = 0; i <= na; i++)
		d[i][0] = i;
	for (unsigned j = 0; j <= nb; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= na; i++)
		for (size_t j = 1; j <= nb; j++) {
			d[i][j] = least(d[i - 1][j], d[i][j - 1]) + 1;
			d[i][j] = least(d[i][j], d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	return d[na][nb];
}

struct nearest {
	const char *word;
	size_t len;
	const char *found;
	size_t found_len;
	unsigned distance;
};

/* Of those that are equally near, the first is kept; a beginning counts as no mistake. */
static void
look_at(struct nearest *n, const char *known, size_t len)
{
	unsigned d;

	if (len > MOST_LETTERS || n->len > MOST_LETTERS || n->len == 0)
		return;
	d = len > n->len && strncmp(known, n->word, n->len) == 0
	        ? 0
	        : distance(n->word, n->len, known, len);
	if (d > n->len / LETTERS_OF_A_MISTAKE || (n->found != NULL && d >= n->distance))
		return;
	n->found = known;
	n->found_len = len;
	n->distance = d;
}

static const char *
text_of(const struct nearest *n, const char *before)
{
	static char text[sizeof(": did you mean --?") + MOST_LETTERS];

	if (n->found == NULL)
		return "";
	snprintf(text, sizeof(text), ": did you mean %s%.*s?", before, (int)n->found_len, n->found);
	return text;
}

const char *
suggest_option(const char *help, const char *word)
{
	struct nearest n = { .word = word, .len = strcspn(word, "=") };

	for (const char *at = help; (at = strstr(at, "--")) != NULL; at += 2)
		look_at(&n, at + 2, strspn(at + 2, "abcdefghijklmnopqrstuvwxyz-"));
	return text_of(&n, "--");
}

const char *
suggest_value(const char *help, const char *option, const char *word)
{
	struct nearest n = { .word = word, .len = strlen(word) };
	const char *at = strstr(help, option);

	if (at == NULL)
		return "";
	for (at += strlen(option) + 1; strspn(at, " \n") == 0; at += *at == '|') {
		const size_t len = strcspn(at, "| \n");

		look_at(&n, at, len);
		at += len;
	}
	return text_of(&n, "");
}
