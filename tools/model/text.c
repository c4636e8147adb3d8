/*
 * Copies of names, fit to be written.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "functions.h"

#include <err.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

char *
text_clean(const char *s, size_t most)
{
	char *clean = strndup(s, symname_cut(s, strnlen(s, most)));

	if (clean == NULL)
		err(EXIT_BAD, "memory");
	symname_clean(clean);
	return clean;
}

char *
text_message(const char *fmt, va_list ap)
{
	char *text, *clean;

	if (vasprintf(&text, fmt, ap) < 0)
		err(EXIT_BAD, "memory");
	clean = text_clean(text, MOST_PATH);
	free(text);
	return clean;
}
