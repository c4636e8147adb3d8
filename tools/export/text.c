/*
 * Copies of names, fit to be written.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include "functions.h"

char *
text_clean(const char *s)
{
	char *clean = memory_text("%s", s);

	symname_clean(clean);
	return clean;
}

char *
text_demangle(const char *symbol)
{
	static struct demangled d;

	return text_clean(symname_demangle(symbol, &d));
}
