/*
 * --report: at the end profsup-report shows the files of this run.  Our caller's process starts it,
 * so that it has what our caller has; the supervisor lists the files in memory that both have.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* The files of so many processes have room: some 100,000. */
enum { MOST_TEXT = 16 << 20 };

/* For each file the path of its program and its own, both with a NUL behind; -1: nobody asked. */
static int list = -1;
static uint64_t left_out; /* files without room, or in a directory that we can't name */

/* Called before there is a supervisor.  Returns a descriptor that both processes are to keep. */
int
view_prepare(void)
{
	list = memfd_create("files", MFD_CLOEXEC);
	if (list < 0)
		log_fatal("--report: can't make the list of files: %m");
	return list;
}

/* Called in the supervisor for each file that counts: not for one that another has all of. */
void
view_add(const char *program, const char *dir, const char *name)
{
	char path[WRITTEN_PATH], text[WRITTEN_MOST + WRITTEN_PATH];
	off_t at;
	int len;

	if (list < 0)
		return;
	at = lseek(list, 0, SEEK_CUR);
	written_path(dir, name, path);
	len = snprintf(text, sizeof(text), "%s%c%s", program, '\0', path) + 1;
	if (*dir != '\0' && at + len <= MOST_TEXT && write(list, text, (size_t)len) == len)
		return;
	left_out++;
	if (ftruncate(list, at) == 0)
		lseek(list, at, SEEK_SET);
}

/* Called in the supervisor at the end.  Prints what the list lacks. */
void
view_end(void)
{
	if (left_out > 0)
		log_error("--report: it lacks %llu files: there is no room in its list, or no path"
		          " for them",
		          (unsigned long long)left_out);
}

/* Called in our caller's process, once the supervisor is gone.  Returns the list, to be read; -1:
 * there is nothing to show. */
int
view_list(void)
{
	return lseek(list, 0, SEEK_CUR) > 0 && lseek(list, 0, SEEK_SET) == 0 ? list : -1;
}
