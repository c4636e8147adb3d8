/*
 * Names.  They come from a program's symbols, so they may hold anything and be of any length.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functions.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/* Most marks on one letter: scripts in use need no more.  Most bytes of a mangled name: libiberty
 * gives up long before. */
enum { MOST_MARKS = 4, MOST_MANGLED = 8 << 10 };

/* How many bytes a character has whose first byte this is; 0: no character starts so. */
static size_t
length_of(unsigned char first)
{
	return first < 0x80   ? 1
	       : first < 0xc2 ? 0
	       : first < 0xe0 ? 2
	       : first < 0xf0 ? 3
	       : first < 0xf5 ? 4
	                      : 0;
}

/* How many bytes the character has that starts here; 0 if it is none. */
static size_t
decode(const unsigned char *s, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = length_of(*s);

	*c = n < 2 ? *s : *s & (0x7fU >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0; /* This is also so at the end of the string. */
		*c = *c << 6 | (s[i] & 0x3f);
	}
	return *c < least[n] ? 0 : n;
}

/* One '?' stands for each character that is not fit to be shown, and for each byte that is part of
 * no character.  Of many marks on one letter, which would cover the lines above, the first ones
 * stay. */
void
symname_clean(char *s)
{
	unsigned nmarks = 0;
	char *to;

	while (*s >= ' ' && *s < 0x7f)
		s++; /* Nearly all names end here. */
	to = s;
	while (*s != '\0') {
		uint32_t c;
		const size_t n = decode((const unsigned char *)s, &c);
		const bool fit = n > 0 && unicode_is_fit(c);

		nmarks = fit && unicode_is_mark(c) ? nmarks + 1 : 0;
		if (!fit || nmarks > MOST_MARKS) {
			*to++ = '?';
			s += n == 0 ? 1 : n;
			continue;
		}
		for (const char *end = s + n; s < end;)
			*to++ = *s++;
	}
	*to = '\0';
}

/* How many of the text's first `len` bytes are whole characters: the text may be cut there. */
size_t
symname_cut(const char *s, size_t len)
{
	size_t last = len;

	while (last > 0 && len - last < 4 && ((unsigned char)s[--last] & 0xc0) == 0x80)
		continue;
	return length_of((unsigned char)s[last]) > len - last ? last : len;
}

/* How many bytes the text's first characters have, `most` of them, and the marks on the last. */
size_t
symname_head(const char *s, size_t most)
{
	size_t at = 0;

	while (s[at] != '\0') {
		uint32_t c;
		const size_t n = decode((const unsigned char *)s + at, &c);

		if (n == 0 || !unicode_is_mark(c)) {
			if (most == 0)
				break;
			most--;
		}
		at += n == 0 ? 1 : n;
	}
	return at;
}

static const char dots[] = "...";

/* Writes the text's first characters, `most` of them, and dots. */
static size_t
put_head(const char *text, size_t most, char *buf, size_t size)
{
	size_t len = symname_head(text, most);

	if (len > size - sizeof(dots))
		len = symname_cut(text, size - sizeof(dots));
	memcpy(buf, text, len);
	memcpy(buf + len, dots, sizeof(dots));
	return len + strlen(dots);
}

const char *
symname_begin(const char *text, size_t room, char *buf, size_t size)
{
	if (text[symname_head(text, room)] == '\0')
		return text;
	put_head(text, room - strlen(dots), buf, size);
	return buf;
}

/* Where the text's last characters begin, `most` of them and no more than so many bytes. */
static const char *
tail_of(const char *text, size_t most, size_t bytes)
{
	const char *ahead = text + symname_head(text, most);

	/* Marks go with their letter, so both move by whole letters. */
	while (*ahead != '\0') {
		ahead += symname_head(ahead, 1);
		text += symname_head(text, 1);
	}
	while ((size_t)(ahead - text) > bytes)
		text += symname_head(text, 1);
	return text;
}

const char *
symname_short(const char *name, size_t room, char *buf, size_t size)
{
	const size_t letters = room - strlen(dots);
	const char *tail;
	size_t len;

	if (name[symname_head(name, room)] == '\0')
		return name;
	len = put_head(name, letters - letters / 2, buf, size / 2);
	tail = tail_of(name, letters / 2, size / 2 - 1);
	memcpy(buf + len, tail, strlen(tail) + 1);
	return buf;
}

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
