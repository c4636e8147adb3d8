/*
 * Names.  They come from a program's symbols, so they may hold anything and be of any length.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functions.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/* How many bytes the character has that starts here; 0 if it is none, or not fit for a terminal. */
static size_t
character(const unsigned char *s)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = *s < 0x80   ? 1
	           : *s < 0xc2 ? 0
	           : *s < 0xe0 ? 2
	           : *s < 0xf0 ? 3
	           : *s < 0xf5 ? 4
	                       : 0;
	uint32_t c = n < 2 ? *s : *s & (0x7fU >> n);

	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0; /* also at the end of the string */
		c = c << 6 | (s[i] & 0x3f);
	}
	if (n == 0 || c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return c < ' ' || (c >= 0x7f && c < 0xa0) ? 0 : n;
}

/* What is not printable UTF-8 becomes '?'. */
void
symname_clean(char *s)
{
	while (*s != '\0') {
		size_t n = character((const unsigned char *)s);

		if (n == 0)
			*s = '?';
		s += n == 0 ? 1 : n;
	}
}

/* The demangler prints piece by piece and keeps nothing on the heap, so it can be left: a name of
 * some dozen bytes can stand for one of terabytes. */
static void
take_piece(const char *piece, size_t len, void *arg)
{
	struct demangled *d = arg;

	if (len >= sizeof(d->text) - d->len)
		longjmp(d->leave, 1);
	memcpy(d->text + d->len, piece, len);
	d->len += len;
	d->text[d->len] = '\0';
}

/* False: it is no mangled name, or too long a one. */
static bool
demangle(const char *symbol, struct demangled *d)
{
	if (setjmp(d->leave) != 0)
		return false;
	return cplus_demangle_v3_callback(symbol, DMGL_PARAMS | DMGL_ANSI, take_piece, d) != 0;
}

/* As gprof prints it; what is no mangled name, or too long a one, stays as it is. */
const char *
symname_demangle(const char *symbol, struct demangled *d)
{
	d->len = 0;
	if (strncmp(symbol, "_Z", 2) == 0 && strlen(symbol) < MOST_DEMANGLED && demangle(symbol, d))
		return d->text;
	return symbol;
}
