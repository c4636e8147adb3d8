/*
 * A set of texts, numbered from 0 as they come.
 *
 * SPDX-License-Identifier: ISC
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

struct name {
	char *text;
	uint32_t number;
	UT_hash_handle hh;
};

/* The text's number, which is the set's former n if it is new; `kept` stays until names_free. */
uint32_t
names_number(struct names *names, const char *text, const char **kept)
{
	struct name *name;

	HASH_FIND_STR(names->table, text, name);
	if (name == NULL) {
		name = memory_array(1, sizeof(*name));
		name->text = memory_text("%s", text);
		name->number = names->n++;
		HASH_ADD_KEYPTR(hh, names->table, name->text, strlen(name->text), name);
	}
	if (kept != NULL)
		*kept = name->text;
	return name->number;
}

void
names_free(struct names *names)
{
	struct name *name, *next;

	HASH_ITER (hh, names->table, name, next) {
		HASH_DEL(names->table, name); /* NOLINT(*-unix.Malloc): uthash resets the head */
		free(name->text);
		free(name);
	}
}
