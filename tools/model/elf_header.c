/*
 * Whether libelf may see a file.
 *
 * SPDX-License-Identifier: ISC
 */
#include "program.h"

#include "elfbytes.h"

#include <elf.h>
#include <endian.h>
#include <string.h>
#include <unistd.h>

/* Returns what is wrong with a header, or NULL; `linked`: of a program. */
const char *
elf_header_wrong(int fd, bool linked)
{
	Elf64_Ehdr eh = { 0 };

	if (pread(fd, &eh, sizeof(eh), 0) < (ssize_t)sizeof(Elf32_Ehdr) ||
	    memcmp(eh.e_ident, ELFMAG, SELFMAG) != 0)
		return "no program: not an ELF file";
	if (eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return "not a 64-bit little-endian program";
	if (linked && le16toh(eh.e_type) != ET_EXEC && le16toh(eh.e_type) != ET_DYN)
		return "not linked: an object file or a core";
	if (!elfbytes_counted(fd))
		return "its header does not say how many sections it has";
	return NULL;
}
