/*
 * Which programs get a profile: --only.  A program goes by the name that its file has.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"

#include <fnmatch.h>
#include <stdio.h>

/* A file name must not leave its directory, whatever the program calls itself. */
void
select_name(pid_t pid, char name[16])
{
	char comm[32] = "unknown";

	procfs_comm(pid, comm, sizeof(comm));
	for (char *c = comm; *c != '\0'; c++)
		if (*c <= ' ' || *c > '~' || *c == '/')
			*c = '_';
	snprintf(name, 16, "%.15s", comm[0] != '\0' ? comm : "unknown");
}

bool
select_matches(const struct options *opt, pid_t pid)
{
	char name[16];

	select_name(pid, name);
	for (size_t i = 0; i < opt->nonly; i++)
		if (fnmatch(opt->only[i], name, 0) == 0)
			return true;
	return opt->nonly == 0;
}
