/*
 * Copies of names, fit to be written.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "functions.h"

#include <err.h>
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
