/*
 * The sections of a file that is not trusted, and the strings in them.  libelf's own elf_strptr()
 * looks for a string's end in all that is left of its section, each time anew.
 *
 * SPDX-License-Identifier: ISC
 */
#include "elfbytes.h"

#include <string.h>

/* Bytes of a name: a longer one is none. */
enum { MOST_NAME = 32 << 10 };

/* Returns a section's bytes; NULL if there are none, or more than `most`. */
Elf_Data *
elfbytes(Elf_Scn *section, size_t most)
{
	GElf_Shdr sh;

	if (section == NULL || gelf_getshdr(section, &sh) == NULL || sh.sh_size > most ||
	    sh.sh_type == SHT_NOBITS)
		return NULL;
	return elf_rawdata(section, NULL);
}

/* Returns "" for a string that does not end in the table, or not soon: a million names may be parts
 * of one long string. */
const char *
elfbytes_string(const Elf_Data *strings, size_t at)
{
	const char *base = strings == NULL ? NULL : strings->d_buf;
	size_t most;

	if (base == NULL || at >= strings->d_size)
		return "";
	most = strings->d_size - at < MOST_NAME ? strings->d_size - at : MOST_NAME;
	return memchr(base + at, '\0', most) == NULL ? "" : base + at;
}
