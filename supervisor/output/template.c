/*
 * A file's name, made of -o's template.  Pure.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Most characters of a snapshot's number and of a namesake's, with their dots. */
enum { NUMBERS_MOST = 15 + 11 };

/* Returns the longest that each field can be; 0: there is no such field. */
static size_t
longest(char field)
{
	switch (field) {
	case 'n':
		return sizeof(((struct place *)0)->name) - 1;
	case 'p':
	case 'P':
		return 10;
	case 't':
		return 20;
	case 'h':
		return HOST_MOST;
	case '%':
		return 1;
	default:
		return 0;
	}
}

/* Returns NULL if each name that the template can give fits in a directory, or why not. */
const char *
template_wrong(const char *t)
{
	size_t len = 0;

	if (*t == '\0')
		return "a name can't be empty";
	if (strcmp(t, ".") == 0 || strcmp(t, "..") == 0)
		return "that is a directory";
	if (strchr(t, '/') != NULL)
		return "a name has no slash: use -d for the directory";
	for (const char *c = t; *c != '\0'; c++) {
		size_t most = *c == '%' ? longest(*++c) : 1;

		if (most == 0)
			return "the fields are %n, %p, %P, %t, %h and %%";
		len += most;
	}
	return len + NUMBERS_MOST > NAME_MAX ? "the names could be too long" : NULL;
}

/* Whether the field is there and can be read off a name: where neither a digit nor another field is
 * beside it.  template_wrong() has found nothing wrong with the template. */
bool
template_tells(const char *t, char field)
{
	for (bool apart = true; *t != '\0'; t++) {
		const bool is_field = *t == '%';

		t += is_field;
		if (is_field && *t == field && apart && t[1] != '%' &&
		    !isdigit((unsigned char)t[1]))
			return true;
		apart = !is_field && !isdigit((unsigned char)*t);
	}
	return false;
}

/* Length of the suffix, ".out" or the like: from the last dot on, unless a field follows. */
static size_t
suffix_length(const char *t)
{
	const char *dot = strrchr(t, '.');

	return dot == NULL || dot == t || strchr(dot, '%') != NULL ? 0 : strlen(dot);
}

static size_t
put(char *out, size_t size, char field, const struct template_values *v)
{
	int n = 0;

	if (field == 'n')
		n = snprintf(out, size, "%s", v->program);
	else if (field == 'p')
		n = snprintf(out, size, "%d", v->pid);
	else if (field == 'P')
		n = snprintf(out, size, "%d", v->parent);
	else if (field == 't')
		n = snprintf(out, size, "%lld", (long long)v->started);
	else if (field == 'h')
		n = snprintf(out, size, "%s", v->host);
	else
		n = snprintf(out, size, "%%");
	return (size_t)n < size ? (size_t)n : size - 1;
}

/* Makes the name of the `number`th file that would have the same; the first has no number.  The
 * name is cut where `size` ends. */
void
template_expand(const char *t, const struct template_values *v, unsigned number, char *out,
                size_t size)
{
	const char *suffix = t + strlen(t) - suffix_length(t);
	size_t len = 0;

	for (const char *c = t; c < suffix && len < size - 1; c++) {
		if (*c == '%')
			len += put(out + len, size - len, *++c, v);
		else
			out[len++] = *c;
	}
	out[len] = '\0';
	if (v->snapshot > 0)
		len += (size_t)snprintf(out + len, size - len, ".snap%u", v->snapshot);
	if (number > 1 && len < size)
		len += (size_t)snprintf(out + len, size - len, ".%u", number);
	if (len < size)
		snprintf(out + len, size - len, "%s", suffix);
}
