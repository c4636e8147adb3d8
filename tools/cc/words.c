/*
 * Command lines: words, one after the other, and what they look like.
 *
 * SPDX-License-Identifier: ISC
 */
#include "cc.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
add(struct words *w, const char *word)
{
	if (w->n + 1 >= w->size) {
		w->size = w->size ? 2 * w->size : 64;
		w->word = reallocarray(w->word, w->size, sizeof(*w->word));
		if (w->word == NULL)
			err(EXIT_OURS, "command line");
	}
	w->word[w->n++] = (char *)(unsigned long)word;
	w->word[w->n] = NULL;
}

char *
join(const char *before, const char *middle, const char *after)
{
	char *s;

	if (asprintf(&s, "%s%s%s", before, middle, after) < 0)
		err(EXIT_OURS, "command line");
	return s;
}

bool
is_one_of(const char *word, const char *const *list)
{
	for (; *list != NULL; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

bool
begins(const char *word, const char *with)
{
	return strncmp(word, with, strlen(with)) == 0;
}

bool
ends(const char *word, const char *with)
{
	size_t n = strlen(word), m = strlen(with);

	return n >= m && strcmp(word + n - m, with) == 0;
}

/* Returns the next word of a response file, as the compilers split them: white space separates,
 * quotes of both kinds group, a backslash takes the next character as it is.  Overwrites the
 * text. */
char *
next_word(char **text)
{
	char *from = *text + strspn(*text, " \t\n\r\f\v"), *word = from, *to = from, quote = 0;

	if (*from == '\0')
		return NULL;
	for (; *from != '\0'; from++) {
		if (*from == '\\' && from[1] != '\0')
			*to++ = *++from;
		else if (quote != 0 && *from == quote)
			quote = 0;
		else if (quote == 0 && (*from == '\'' || *from == '"'))
			quote = *from;
		else if (quote == 0 && strchr(" \t\n\r\f\v", *from) != NULL)
			break;
		else
			*to++ = *from;
	}
	*text = *from == '\0' ? from : from + 1;
	*to = '\0';
	return word;
}
