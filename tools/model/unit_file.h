/*
 * Names of source files, as units of DWARF have them: for the two readers, line_reader.c and
 * inline_reader.c.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_MODEL_UNIT_FILE_H
#define PROFSUP_MODEL_UNIT_FILE_H

#include <elfutils/libdw.h>

/* unit_file.c */
const char *unit_directory(Dwarf_Die *unit);
char *unit_file(const char *directory, const char *raw);

#endif
