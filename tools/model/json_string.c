/*
 * A text in JSON, and a list of names.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tool.h"

#include <stdlib.h>
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

void
json_files(FILE *out, char *const *files, const char *numbers)
{
	fputc('[', out);
	for (size_t i = 0; files[i] != NULL; i++) {
		char *name = text_clean(files[i], MOST_PATH);

		fputs(i > 0 ? "," : "", out);
		json_string_but(out, name, numbers);
		free(name);
	}
	fputc(']', out);
}
