/*
 * Names of source files, as units of DWARF have them.  A compiler that is given sub/a.c may write
 * down just that, and the directory where it ran once for the unit.  Both readers must make the
 * same of such a name, since names of files are compared.
 *
 * SPDX-License-Identifier: ISC
 */
#include "unit_file.h"

#include "model.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* Returns the directory where a unit was compiled; NULL: it is not known, or it is relative itself,
 * as -ffile-prefix-map makes it, and then names stay as they are. */
const char *
unit_directory(Dwarf_Die *unit)
{
	Dwarf_Attribute attr;
	const char *directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attr));

	return directory != NULL && *directory == '/' ? directory : NULL;
}

/* Returns the name, fit to be shown.  "???" is libdw's, for no file. */
char *
unit_file(const char *directory, const char *raw)
{
	char *whole, *clean;

	if (*raw == '/' || directory == NULL || strcmp(raw, "???") == 0)
		return text_clean(raw, MOST_PATH);
	whole = memory_text("%.*s/%.*s", MOST_PATH, directory, MOST_PATH, raw);
	clean = text_clean(whole, MOST_PATH);
	free(whole);
	return clean;
}
