/*
 * The rights with which files are touched.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <stdlib.h>

void
identity_free(struct identity *id)
{
	free(id->groups);
	*id = (struct identity){ 0 };
}

/* Whether two have the same ids, apart from power over files. */
bool
identity_same(const struct identity *a, const struct identity *b)
{
	if (a->uid != b->uid || a->gid != b->gid || a->ngroups != b->ngroups)
		return false;
	for (size_t i = 0; i < a->ngroups; i++)
		if (a->groups[i] != b->groups[i])
			return false;
	return true;
}
