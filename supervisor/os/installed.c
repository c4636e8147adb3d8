/*
 * Where the programs are that are installed with us.
 *
 * SPDX-License-Identifier: ISC
 */
#include "os/os.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* Makes the path of a program, whose name is relative to our directory.  Returns -1 with errno, and
 * the name as the path, if ours can't be told. */
int
installed_path(const char *name, char path[PATH_MAX])
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
	const int error = n < 0 ? errno : ENAMETOOLONG;

	while (n > 0 && self[n - 1] != '/')
		n--;
	if (n > 0 && snprintf(path, PATH_MAX, "%.*s%s", (int)n, self, name) < PATH_MAX)
		return 0;
	snprintf(path, PATH_MAX, "%s", name);
	errno = error;
	return -1;
}
