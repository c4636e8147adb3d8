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
	static struct names said;
	const uint32_t before = said.n;
	va_list ap;
	char *clean;

	if (quiet)
		return;
	va_start(ap, fmt);
	clean = text_message(fmt, ap);
	va_end(ap);
	if (names_number(&said, clean, NULL) == before)
		warnx("%s", clean);
	free(clean);
}
