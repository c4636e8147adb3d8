/*
 * Whether a program was linked with libc's own profiling, by its symbols: for a message only.  The
 * file is the target's: what is read is bounded.
 *
 * SPDX-License-Identifier: ISC
 */
#include "target/target.h"

#include "elfbytes.h"

#include <string.h>

enum { MOST_BYTES = 16 << 20 };

/* gcrt1.o calls it; a program without profiling does not have it.  The name begins with a NUL, so
 * that the end of a longer name does not match. */
static bool
has_name(Elf *elf, unsigned type)
{
	static const char name[] = "\0_mcleanup";
	struct elfsection at = elfsection_begin(elf);
	const Elf_Data *names;

	if (!elfsection_next_of(&at, type))
		return false;
	names = elfbytes(elf_getscn(elf, at.header.sh_link), MOST_BYTES);
	return names != NULL && names->d_buf != NULL &&
	       memmem(names->d_buf, names->d_size, name, sizeof(name)) != NULL;
}

/* elfnote_read() has found the file fit to be read. */
bool
elfsyms_libc_profile(int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	bool has = elf != NULL && elf_kind(elf) == ELF_K_ELF &&
	           (has_name(elf, SHT_SYMTAB) || has_name(elf, SHT_DYNSYM));

	elf_end(elf);
	return has;
}
