/*
 * Names.  They come from a program's symbols, so they may hold anything and be of any length.
 *
 * SPDX-License-Identifier: ISC
 */
#include "functions.h"

#include <string.h>

/* Most marks on one letter: scripts in use need no more. */
enum { MOST_MARKS = 4 };

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
