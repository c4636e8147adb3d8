/*
 * A text in JSON.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tool.h"

#include <string.h>

void
json_string_but(FILE *out, const char *s, const char *numbers)
{
	char special[16];

	snprintf(special, sizeof(special), "\"\\%s", numbers);
	fputc('"', out);
	for (;; s++) {
		const size_t plain = strcspn(s, special);

		fwrite(s, 1, plain, out);
		s += plain;
		if (*s == '\0')
			break;
		fprintf(out, strchr(numbers, *s) != NULL ? "\\u%04x" : "\\%c", (unsigned)*s);
	}
	fputc('"', out);
}
