/*
 * The sections of a file that is not trusted, its symbols, and the strings of both.  Nothing is
 * read that is larger than the caller allows, and nothing is looked at twice.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef ELFBYTES_H
#define ELFBYTES_H

#include <gelf.h>
#include <stdbool.h>

/* A section's strings, all of which end. */
struct elfstrings {
	const char *base;
	size_t size;
};

/* A way through the sections whose headers can be read. */
struct elfsection {
	Elf *elf;
	struct elfstrings names;
	Elf_Scn *section; /* where we are, */
	GElf_Shdr header; /* and what that is */
	const char *name;
};

/* A way through the symbols of a table. */
struct elfsymbols {
	Elf_Data *table; /* NULL: it can't be read */
	struct elfstrings names;
	int next;
	GElf_Sym symbol; /* where we are */
	const char *name;
};

/* Whether libelf may see a file. */
bool elfbytes_counted(int fd);
Elf_Data *elfbytes(Elf_Scn *section, size_t most);
struct elfsection elfsection_begin(Elf *elf);
bool elfsection_next(struct elfsection *s);
bool elfsection_next_of(struct elfsection *s, unsigned type);
bool elfsymbols_begin(struct elfsymbols *s, Elf *elf, unsigned type, size_t most);
bool elfsymbols_next(struct elfsymbols *s);

#endif
