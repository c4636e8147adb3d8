/*
 * Whether a program was linked with libc's own profiling, by its symbols: for a message only.  The
 * file is the target's: what is read is bounded.
 *
 * SPDX-License-Identifier: ISC
 */
#include "target/target.h"

#include <gelf.h>
#include <string.h>
#include <sys/stat.h>

/* A program has two tables at the most, one of them for its dynamic linker. */
enum { MAX_TABLES = 2, MAX_BYTES = 16 << 20 };

/* Returns a section's bytes; NULL if there are none, or too many. */
static Elf_Data *
bytes_of(Elf_Scn *section, GElf_Shdr *header)
{
	if (section == NULL || gelf_getshdr(section, header) == NULL ||
	    header->sh_size > MAX_BYTES || header->sh_type == SHT_NOBITS)
		return NULL;
	return elf_rawdata(section, NULL);
}

/* `name` begins with a NUL, so that the end of a longer name does not match. */
static bool
has_name(const Elf_Data *strings, const char *name)
{
	return strings != NULL && strings->d_buf != NULL &&
	       memmem(strings->d_buf, strings->d_size, name, strlen(name + 1) + 2) != NULL;
}

static bool
look(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t n = 0;

	while (n < MAX_TABLES && (section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header, strings;

		if (gelf_getshdr(section, &header) == NULL ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		n++;
		/* gcrt1.o calls it; a program without profiling does not have it. */
		if (has_name(bytes_of(elf_getscn(elf, header.sh_link), &strings), "\0_mcleanup"))
			return true;
	}
	return false;
}

/* elfnote_read() has found the file fit to be read. */
bool
elfsyms_libc_profile(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	bool has = elf != NULL && elf_kind(elf) == ELF_K_ELF && look(elf);

	elf_end(elf);
	return has;
}
