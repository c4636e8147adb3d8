/*
 * Files of stacks beside gmon files.  A directory has both, and a command line that names all of
 * its files has them, too: a file of stacks belongs to its gmon file, with which it is found.  One
 * that is named alone stands for that gmon file.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include "stackfile.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *
stacks_path(const char *gmon)
{
	const char *slash = strrchr(gmon, '/');
	const char *base = slash == NULL ? gmon : slash + 1;
	char name[PATH_MAX];

	stackfile_name(base, name, sizeof(name));
	return memory_text("%.*s%s", (int)(base - gmon), gmon, name);
}

/* The gmon file of a file of stacks, or NULL if the name is none of such a file. */
static char *
gmon_path(const char *stacks)
{
	const char *slash = strrchr(stacks, '/');
	const char *base = slash == NULL ? stacks : slash + 1;
	const size_t len = strlen(base);
	const bool ours = len > 13 && strncmp(base, "stacks.", 7) == 0;

	if (len <= 6 || strcmp(base + len - 6, ".pb.gz") != 0)
		return NULL;
	return memory_text("%.*s%s%.*s%s", (int)(base - stacks), stacks, ours ? "gmon." : "",
	                   (int)(len - (ours ? 13 : 6)), base + (ours ? 7 : 0), ours ? ".out" : "");
}

static char *
gmon_file_of(char *operand)
{
	char *gmon = gmon_path(operand);

	if (gmon != NULL && access(gmon, F_OK) == 0)
		return gmon;
	free(gmon);
	return operand;
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
			operand[left++] = gmon_file_of(operand[i]);
	operand[left] = NULL;
	names_free(&beside);
	return left;
}
