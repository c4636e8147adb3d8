/*
 * A text in JSON.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include <string.h>

void
json_string(FILE *out, const char *s)
{
	fputc('"', out);
	for (;;) {
		const size_t plain = strcspn(s, "\"\\");

		fwrite(s, 1, plain, out);
		s += plain;
		if (*s == '\0')
			break;
		fputc('\\', out);
		fputc(*s++, out);
	}
	fputc('"', out);
}
