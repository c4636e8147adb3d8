/*
 * What of a demangled name somebody means who asks for a function.  A template's name has the type
 * that it returns before it and its arguments behind it: "long ns::work<long>(long)" is ns::work.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include <ctype.h>
#include <string.h>

static bool
is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns how long the word "operator" is here, with the signs behind it that would be taken for
 * brackets; 0: it is not here. */
static size_t
operator_at(const char *name, size_t at, size_t len)
{
	static const char *const signs[] = { "<=>", "->*", "<<=", ">>=", "->", "<<", ">>",
		                             "<=",  ">=",  "()",  "[]",  "<",  ">" };
	static const char word[] = "operator";
	const size_t n = strlen(word);

	if (len - at < n || memcmp(name + at, word, n) != 0 || (at > 0 && is_word(name[at - 1])) ||
	    (len - at > n && is_word(name[at + n])))
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (len - at - n >= strlen(signs[i]) &&
		    memcmp(name + at + n, signs[i], strlen(signs[i])) == 0)
			return n + strlen(signs[i]);
	return n;
}

static bool
ends_with(const char *name, size_t len, const char *end)
{
	return len >= strlen(end) && memcmp(name + len - strlen(end), end, strlen(end)) == 0;
}

/* Where the name begins in its first `len` bytes, which have no parameters: behind the last blank,
 * but for those in brackets and behind "operator".  A "thunk to A::f" is another function. */
size_t
name_start(const char *name, size_t len)
{
	size_t start = 0;
	int depth = 0;

	for (size_t at = 0; at < len; at++) {
		const size_t n = operator_at(name, at, len);

		if (n > 0 && depth == 0)
			break;
		if (n > 0) {
			at += n - 1;
			continue;
		}
		depth += strchr("<([{", name[at]) != NULL;
		depth -= strchr(">)]}", name[at]) != NULL;
		if (name[at] == ' ' && depth == 0)
			start = at + 1;
	}
	return ends_with(name, start, " to ") || ends_with(name, start, " for ") ? 0 : start;
}

/* The length of the name without the template arguments at its end. */
size_t
name_without_arguments(const char *name, size_t len)
{
	size_t open = 0, behind = len;
	int depth = 0;

	for (size_t at = 0; at < len; at++) {
		const size_t n = operator_at(name, at, len);

		if (n > 0) {
			at += n - 1;
			behind = len;
			continue;
		}
		if (strchr("<([{", name[at]) != NULL && depth++ == 0 && name[at] == '<')
			open = at;
		depth -= strchr(">)]}", name[at]) != NULL;
		if (depth == 0 && name[at] == '>' && at + 1 == len)
			behind = open;
	}
	while (behind > 0 && name[behind - 1] == ' ')
		behind--;
	return behind;
}

/* The same without any arguments, also of classes. */
char *
name_without_any_arguments(const char *name, size_t len)
{
	char *plain = memory_array(len + 1, 1);
	size_t n, to = 0;
	int depth = 0;

	for (size_t at = 0; at < len; at += n) {
		n = operator_at(name, at, len);
		n = n == 0 ? 1 : n;
		depth += n == 1 && name[at] == '<';
		if (depth == 0) {
			memcpy(plain + to, name + at, n);
			to += n;
		}
		depth -= n == 1 && name[at] == '>' && depth > 0;
	}
	while (to > 0 && plain[to - 1] == ' ')
		plain[--to] = '\0';
	return plain;
}
