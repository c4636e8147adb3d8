/*
 * Code that no symbol covers has the name of its section: of a file that was stripped, only the
 * functions that it exports have names.
 *
 * SPDX-License-Identifier: ISC
 */
#include "nameless.h"

#include <stdio.h>
#include <string.h>

/* Stubs, as in .plt and .plt.got, have no symbols anywhere. */
bool
nameless_is(const char *name)
{
	return strncmp(name, "[.", 2) == 0 && strncmp(name, "[.plt", 5) != 0;
}

void
nameless_hint(const char *file, double percent, const char *build_id, bool again,
              char text[NAMELESS_SIZE])
{
	const int len = snprintf(text, NAMELESS_SIZE,
	                         "%.255s: functions whose names are not known have %.1f %% of the "
	                         "time: ",
	                         file, percent);

	if (*build_id == '\0')
		snprintf(
		    text + len, NAMELESS_SIZE - (size_t)len,
		    "it was stripped, and has no build ID by which its symbols could be found");
	else
		snprintf(text + len, NAMELESS_SIZE - (size_t)len,
		         "install its debugging symbols (Debian: a -dbgsym package; or "
		         "debuginfod-find debuginfo %.128s)%s",
		         build_id, again ? " and run it again" : "");
}
