/*
 * Names as they stand in the source.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functions.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/* Most bytes of a mangled name: libiberty gives up long before. */
enum { MOST_MANGLED = 8 << 10 };

/* The demangler prints piece by piece and keeps nothing on the heap, so we can leave it in the
 * middle: a name of some dozen bytes can stand for one of terabytes. */
static void
take_piece(const char *piece, size_t len, void *arg)
{
	struct demangled *d = arg;

	if (len >= sizeof(d->text) - d->len) {
		d->inside = false;
		longjmp(d->leave, 1);
	}
	memcpy(d->text + d->len, piece, len);
	d->len += len;
	d->text[d->len] = '\0';
}

/* Such a name may also take for ever before the first piece is printed. */
void
symname_leave(struct demangled *d)
{
	if (!d->inside)
		return;
	d->inside = false;
	d->left = true;
	longjmp(d->leave, 1);
}

/* libiberty's, each for one language. */
typedef int demangler(const char *symbol, int options, demangle_callbackref piece, void *arg);

/* Demangles.  False: it is no name of that language, or too long a one. */
static bool
demangle(demangler *how, const char *symbol, struct demangled *d)
{
	bool is;

	if (setjmp(d->leave) != 0)
		return false;
	d->len = 0;
	d->inside = true;
	is = how(symbol, DMGL_PARAMS | DMGL_ANSI, take_piece, d) != 0;
	d->inside = false;
	return is;
}

/* Puts a shorter text in place of each of another. */
static void
replace_all(char *text, const char *from, const char *to)
{
	const size_t len = strlen(from);
	char *end = text;

	for (char *found; (found = strstr(text, from)) != NULL; text = found + len) {
		memmove(end, text, (size_t)(found - text));
		end += found - text;
		end = stpcpy(end, to);
	}
	memmove(end, text, strlen(text) + 1);
}

/* Writes the library's types as sources do: nobody wrote std::__cxx11::basic_string<char, ...>. */
static void
as_in_source(char *name)
{
	static const char *const other[][2] = {
		{ "std::__cxx11::", "std::" },
		{ "std::__1::", "std::" },
		{ "std::basic_string<char, std::char_traits<char>, std::allocator<char> >",
		  "std::string" },
		{ "std::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t> >",
		  "std::wstring" },
		{ "std::basic_string_view<char, std::char_traits<char> >", "std::string_view" },
		/* What the space was for is gone. */
		{ "std::string >", "std::string>" },
		{ "std::wstring >", "std::wstring>" },
		{ "std::string_view >", "std::string_view>" },
	};

	for (size_t i = 0; i < sizeof(other) / sizeof(*other); i++)
		replace_all(name, other[i][0], other[i][1]);
}

/* Masks what may be the mark of Punycode in a new mangled name of Rust: "u" and a digit.  False:
 * one may be in a number that leads back to another place, "B..._". */
static bool
mask(char *symbol, bool *any)
{
	bool back = false, sure = true;

	*any = false;
	for (char *c = symbol; *c != '\0'; c++) {
		back = isalnum((unsigned char)*c) && (back || *c == 'B');
		if (*c != 'u' || !isdigit((unsigned char)c[1]))
			continue;
		*c = 'v';
		*any = true;
		sure &= !back;
	}
	return sure;
}

/* Demangles a name of Rust, but for Punycode, for which the demangler has something on the heap.  A
 * name with such a mark does not parse if it is masked.  One that does is parsed in the same way as
 * it is, and shows the right letters then. */
static bool
demangle_rust(const char *symbol, struct demangled *d)
{
	if (symbol[1] == 'R') {
		char masked[MOST_MANGLED];
		bool any;

		memcpy(masked, symbol, strlen(symbol) + 1);
		if (!mask(masked, &any) || (any && !demangle(rust_demangle_callback, masked, d)))
			return false;
	}
	return demangle(rust_demangle_callback, symbol, d);
}

/* Demangles a name as gprof does, but for the types of C++'s library, and of Rust without its hash;
 * what is no mangled name, or too long a one, stays as it is. */
const char *
symname_demangle(const char *symbol, struct demangled *d)
{
	d->left = false;
	if (symbol[0] != '_' || (symbol[1] != 'Z' && symbol[1] != 'R') ||
	    strnlen(symbol, MOST_MANGLED) == MOST_MANGLED)
		return symbol;
	if (demangle_rust(symbol, d))
		return d->text;
	if (d->left || !demangle(cplus_demangle_v3_callback, symbol, d))
		return symbol;
	as_in_source(d->text);
	return d->text;
}
