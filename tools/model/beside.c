/*
 * Files of stacks beside gmon files.  A directory has both, and a command line that names all of
 * its files has them, too: a file of stacks belongs to its gmon file, with which it is found.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "stackfile.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

char *
stacks_path(const char *gmon)
{
	const char *slash = strrchr(gmon, '/');
	const char *base = slash == NULL ? gmon : slash + 1;
	char name[PATH_MAX];

	stackfile_name(base, name, sizeof(name));
	return memory_text("%.*s%s", (int)(base - gmon), gmon, name);
}

int
stacks_leave_out(int n, char **operand)
{
	struct names beside = { 0 };
	uint32_t nbeside;
	int left = 0;

	for (int i = 0; i < n; i++) {
		char *path = stacks_path(operand[i]);

		names_number(&beside, path, NULL);
		free(path);
	}
	nbeside = beside.n;
	for (int i = 0; i < n; i++)
		if (names_number(&beside, operand[i], NULL) >= nbeside)
			operand[left++] = operand[i];
	operand[left] = NULL;
	names_free(&beside);
	return left;
}
