/*
 * SPDX-License-Identifier: ISC
 */
#include "stackfile.h"

#include <stdio.h>
#include <string.h>

void
stackfile_name(const char *gmon, char *name, size_t size)
{
	const size_t len = strlen(gmon);

	if (len > 9 && strncmp(gmon, "gmon.", 5) == 0 && strcmp(gmon + len - 4, ".out") == 0)
		snprintf(name, size, "stacks.%.*s.pb.gz", (int)(len - 9), gmon + 5);
	else
		snprintf(name, size, "%s.pb.gz", gmon);
}
