/*
 * --report: at the end profsup-report shows the files of this run.  Our caller's process starts it,
 * so that it has what our caller has; the supervisor tells that process of each file by memory that
 * both have.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The files of so many processes have room: some 100,000. */
enum { MOST_TEXT = 16 << 20 };

/* For each file the path of its program and its own, both with a NUL behind. */
static volatile struct {
	size_t len;
	uint64_t left_out; /* files without room, or in a directory that we can't name */
	char text[MOST_TEXT];
} * list; /* NULL: nobody asked for it */

/* Called before there is a supervisor. */
void
view_prepare(void)
{
	void *shared = mmap(NULL, sizeof(*list), PROT_READ | PROT_WRITE,
	                    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (shared == MAP_FAILED)
		log_fatal("--report: mmap: %m");
	list = shared;
}

/* Called in the supervisor for each file that counts: not for one that another has all of. */
void
view_add(const char *program, const char *dir, const char *name)
{
	char path[WRITTEN_PATH];
	size_t first = strlen(program) + 1, second;

	if (list == NULL)
		return;
	written_path(dir, name, path);
	second = strlen(path) + 1;
	if (*dir == '\0' || first + second > MOST_TEXT - list->len) {
		list->left_out++;
		return;
	}
	memcpy((char *)list->text + list->len, program, first);
	memcpy((char *)list->text + list->len + first, path, second);
	list->len += first + second; /* last: whoever kills us leaves a list that is whole */
}

/* Prints why there is none. */
static int
list_file(void)
{
	const int fd = memfd_create("files", MFD_CLOEXEC);

	if (fd >= 0 && write(fd, (const char *)list->text, list->len) == (ssize_t)list->len &&
	    lseek(fd, 0, SEEK_SET) == 0)
		return fd;
	log_error("--report: can't make the list of files: %m");
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Called in our caller's process, once the supervisor is gone.  Returns a file with the list; -1:
 * there is nothing to show.  Prints. */
int
view_list(void)
{
	if (list == NULL)
		return -1;
	if (list->left_out > 0)
		log_error("--report: it lacks %llu files: there is no room in its list, or no path"
		          " for them",
		          (unsigned long long)list->left_out);
	return list->len == 0 ? -1 : list_file();
}
