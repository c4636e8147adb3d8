/*
 * Which of the files are of the newest run.
 *
 * profsup writes into each file when its run began, which no two runs have in common.  A file that
 * another profiler has written is a run of its own, of the file's time.
 *
 * SPDX-License-Identifier: ISC
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How a file begins that profsup has written. */
struct beginning {
	struct gmon_file_header file;
	uint8_t tag;
	struct gmon_hist_header hist;
} __attribute__((packed));

uint64_t
newest_run_of(const char *path, struct timespec *when)
{
	struct stat st = { 0 };
	const int fd = regular_open(path, &st);
	struct beginning b;
	uint64_t run = 0;

	*when = st.st_mtim;
	if (fd >= 0 && pread(fd, &b, sizeof(b), 0) == (ssize_t)sizeof(b) &&
	    memcmp(b.file.cookie, GMON_MAGIC, sizeof(b.file.cookie)) == 0 &&
	    b.tag == GMON_TAG_TIME_HIST)
		for (size_t i = GMON_RUN; i-- > 0;)
			run = run << 8 | b.hist.run[i];
	if (fd >= 0)
		close(fd);
	return run;
}

struct dated {
	uint64_t run;  /* 0: not known */
	uint64_t time; /* when the run began, or else that of the file, in microseconds */
};

char *const *
newest_choose(char *const *files)
{
	struct dated *all = NULL, newest = { 0 };
	char **taken = NULL;
	size_t n = 0, out = 0;

	for (; files[n] != NULL; n++) {
		struct timespec when;
		const uint64_t run = newest_run_of(files[n], &when);
		const uint64_t time = (uint64_t)when.tv_sec * 1000000 + when.tv_nsec / 1000;

		all = memory_grow(all, n, sizeof(*all));
		all[n] = (struct dated){ run, run != 0 ? run : time };
		if (n == 0 || all[n].time > newest.time)
			newest = all[n];
	}
	taken = memory_array(n + 1, sizeof(*taken));
	for (size_t i = 0; i < n; i++)
		if (all[i].time == newest.time && all[i].run == newest.run)
			taken[out++] = files[i];
	free(all);
	return taken;
}
