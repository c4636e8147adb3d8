/*
 * The sections of a file that is not trusted.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef ELFBYTES_H
#define ELFBYTES_H

#include <gelf.h>

Elf_Data *elfbytes(Elf_Scn *section, size_t most);
const char *elfbytes_string(const Elf_Data *strings, size_t at);

#endif
