/*
 * Names of functions without what compilers add when they make several functions of one: foo,
 * foo.part.0, foo.isra.0 and foo.cold are one function.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <string.h>

/* The length of a name without its last part, if that is one that compilers add. */
size_t
base_name_without_suffix(const char *name, size_t len, bool *split)
{
	static const char *const added[] = { "cold",       "part",     "isra", "constprop",
		                             "localalias", "lto_priv", "llvm", "clone" };
	size_t end = len, dot;

	while (end > 0 && strchr("0123456789", name[end - 1]) != NULL)
		end--;
	end = end > 0 && end < len && name[end - 1] == '.' ? end - 1 : len;
	for (dot = end; dot > 0 && name[dot - 1] != '.';)
		dot--;
	for (size_t i = 0; dot > 1 && i < sizeof(added) / sizeof(*added); i++)
		if (strlen(added[i]) == end - dot &&
		    strncmp(name + dot, added[i], end - dot) == 0) {
			*split |= i < 2;
			return dot - 1;
		}
	return len;
}

size_t
base_name_length(const struct function *f, bool *split)
{
	size_t len = strlen(f->symbol), shorter;

	*split = false;
	while (!f->no_symbol && (shorter = base_name_without_suffix(f->symbol, len, split)) < len)
		len = shorter;
	return len;
}
