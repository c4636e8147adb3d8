/*
 * What a user adds to each row: labels.c.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef LABELS_H
#define LABELS_H

#include <stddef.h>

struct label {
	const char *name, *value; /* the value is printable UTF-8 */
};

struct labels {
	char *host; /* which the label of that name replaces */
	struct label *label;
	size_t n;
};

void labels_begin(struct labels *labels);
/* NAME=VALUE; refuses what is none, and a name that a row has already. */
void labels_add(struct labels *labels, const char *word);

#endif
