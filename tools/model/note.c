/*
 * What a format can't hold is said, once and in one line.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <err.h>
#include <stdarg.h>
#include <stdlib.h>

static bool quiet;

void
note_quiet(void)
{
	quiet = true;
}

void
note(const char *fmt, ...)
{
	va_list ap;
	char *clean;

	if (quiet)
		return;
	va_start(ap, fmt);
	clean = text_message(fmt, ap);
	va_end(ap);
	warnx("%s", clean);
	free(clean);
}
