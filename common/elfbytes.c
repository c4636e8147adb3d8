/*
 * The sections of a file that is not trusted.  libelf's own elf_strptr() looks for a string's end
 * in all that is left of its section, each time anew.
 *
 * SPDX-License-Identifier: ISC
 */
#include "elfbytes.h"

#include <string.h>
#include <unistd.h>

/* Bytes of the sections' names: if there are more, they are all "". */
enum { MOST_NAMES = 4 << 20 };

/* False: the header of a file has no number of sections.  libelf takes it from the first section
 * then, limited by the file's size only, and makes room for so many: a sparse file could fill our
 * memory.  What is no ELF file has none to count. */
bool
elfbytes_counted(int fd)
{
	union {
		unsigned char ident[EI_NIDENT];
		Elf32_Ehdr h32;
		Elf64_Ehdr h64;
	} eh = { 0 };

	if (pread(fd, &eh, sizeof(eh), 0) < (ssize_t)sizeof(eh.h32))
		return true;
	return eh.ident[EI_CLASS] == ELFCLASS32 ? eh.h32.e_shoff == 0 || eh.h32.e_shnum != 0
	                                        : eh.h64.e_shoff == 0 || eh.h64.e_shnum != 0;
}

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

/* What is behind the last end of a string is none. */
static struct elfstrings
strings_of(Elf *elf, size_t section, size_t most)
{
	const Elf_Data *data = elfbytes(elf_getscn(elf, section), most);
	const char *base = data == NULL ? NULL : data->d_buf;
	const char *end = base == NULL ? NULL : memrchr(base, '\0', data->d_size);

	return (struct elfstrings){ base, end == NULL ? 0 : (size_t)(end + 1 - base) };
}

static const char *
string_at(const struct elfstrings *s, size_t at)
{
	return at < s->size ? s->base + at : "";
}

struct elfsection
elfsection_begin(Elf *elf)
{
	struct elfsection s = { .elf = elf };
	size_t names;

	if (elf_getshdrstrndx(elf, &names) == 0)
		s.names = strings_of(elf, names, MOST_NAMES);
	return s;
}

/* False: there are no more. */
bool
elfsection_next(struct elfsection *s)
{
	do
		s->section = elf_nextscn(s->elf, s->section);
	while (s->section != NULL && gelf_getshdr(s->section, &s->header) == NULL);
	s->name = string_at(&s->names, s->header.sh_name);
	return s->section != NULL;
}

/* The same of sections of that type. */
bool
elfsection_next_of(struct elfsection *s, unsigned type)
{
	while (elfsection_next(s))
		if (s->header.sh_type == type)
			return true;
	return false;
}

/* Finds the file's table of that type, of which there is one at the most.  False: there is none.
 * `most`: bytes of the table, and of the names. */
bool
elfsymbols_begin(struct elfsymbols *s, Elf *elf, unsigned type, size_t most)
{
	struct elfsection at = elfsection_begin(elf);

	*s = (struct elfsymbols){ .next = 1 };
	if (!elfsection_next_of(&at, type))
		return false;
	s->table = elfbytes(at.section, most);
	s->names = strings_of(elf, at.header.sh_link, most);
	return true;
}

/* False: there are no more. */
bool
elfsymbols_next(struct elfsymbols *s)
{
	if (s->table == NULL || gelf_getsym(s->table, s->next, &s->symbol) == NULL)
		return false;
	s->next++;
	s->name = string_at(&s->names, s->symbol.st_name);
	return true;
}
