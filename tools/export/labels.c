/*
 * Labels, as a command line gives them.  A database has a column for each, so a name has to be a
 * word, and can be no other field's.
 *
 * SPDX-License-Identifier: ISC
 */
#include "labels.h"

#include "model.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

void
labels_begin(struct labels *labels)
{
	struct utsname u;

	if (uname(&u) != 0)
		err(EXIT_BAD, "uname");
	*labels = (struct labels){ .host = text_clean(u.nodename, sizeof(u.nodename)) };
}

static bool
is_taken(const struct labels *labels, const char *name)
{
	static const char *const fields[] = {
		"time",     "program", "build_id", "process", "file",
		"function", "caller",  "ticks",    "period",  "calls"
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (strcmp(fields[i], name) == 0)
			return true;
	for (size_t i = 0; i < labels->n; i++)
		if (strcmp(labels->label[i].name, name) == 0)
			return true;
	return false;
}

void
labels_add(struct labels *labels, const char *word)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char digits[] = "0123456789";
	size_t len = strspn(word, first);
	char *name, *value;

	while (len > 0 && word[len] != '\0' &&
	       (strchr(first, word[len]) != NULL || strchr(digits, word[len]) != NULL))
		len++;
	if (len == 0 || word[len] != '=')
		command_refuse("--label=%s: not NAME=VALUE, with a name of letters, digits and _",
		               word);
	name = memory_text("%.*s", (int)len, word);
	value = text_clean(word + len + 1, MOST_PATH);
	if (is_taken(labels, name))
		command_refuse("--label=%s: a row has %s already", word, name);
	if (strcmp(name, "host") == 0) {
		free(labels->host);
		free(name);
		labels->host = value;
		return;
	}
	labels->label = memory_grow(labels->label, labels->n, sizeof(*labels->label));
	labels->label[labels->n++] = (struct label){ name, value };
}
