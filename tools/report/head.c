/*
 * What a profile is of: the first lines, and whether it adds up what does not belong together.
 *
 * Stock gprof adds up what it is given.  profsup's files say of which run they are.  Each execution
 * of a program calls main() once, and a forked child does not: so the calls of main() are the
 * number of executions.  Where they are not counted, the times of the files have to do.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include "nameless.h"

#include <stdlib.h>
#include <string.h>

enum { LONG_GAP = 60 /* seconds */, TIME_SIZE = 32 };

/* Returns how often main() was called; 0: that was not counted. */
static uint64_t
runs_of(const struct model *m)
{
	for (uint32_t f = 0; f < m->symbols->nfunctions; f++)
		if (!m->symbols->functions[f].inlined &&
		    strcmp(m->symbols->functions[f].raw, "main") == 0)
			return m->costs[f].calls - m->costs[f].by_self;
	return 0;
}

static void
time_text(time_t when, char text[TIME_SIZE])
{
	struct tm tm;

	if (localtime_r(&when, &tm) == NULL ||
	    strftime(text, TIME_SIZE, "%Y-%m-%d %H:%M:%S", &tm) == 0)
		snprintf(text, TIME_SIZE, "%jd", (intmax_t)when);
}

static int
by_time(const void *a, const void *b)
{
	const struct timespec *x = a, *y = b;

	return x->tv_sec < y->tv_sec ? -1 : x->tv_sec > y->tv_sec;
}

/* Writes "3 files from FIRST to LAST", or "1 file of TIME"; returns the longest time between two
 * files. */
static time_t
files_text(const struct model *m, char *text, size_t size)
{
	const size_t n = m->gmon->nfiles;
	struct timespec *times = memory_array(n, sizeof(*times));
	char first[TIME_SIZE], last[TIME_SIZE];
	time_t gap = 0;

	memcpy(times, m->gmon->times, n * sizeof(*times));
	qsort(times, n, sizeof(*times), by_time);
	for (size_t i = 1; i < n; i++)
		if (times[i].tv_sec - times[i - 1].tv_sec > gap)
			gap = times[i].tv_sec - times[i - 1].tv_sec;
	time_text(times[0].tv_sec, first);
	time_text(times[n - 1].tv_sec, last);
	if (n == 1)
		snprintf(text, size, "1 file of %s", first);
	else if (strncmp(first, last, strlen("0000-00-00 ")) == 0)
		snprintf(text, size, "%zu files from %s to %s", n, first,
		         last + strlen("0000-00-00 "));
	else
		snprintf(text, size, "%zu files from %s to %s", n, first, last);
	free(times);
	return gap;
}

static int
by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Returns how many runs of profsup the files are of; those that don't say so count as one. */
static size_t
runs_of_profsup(const struct model *m)
{
	const size_t n = m->gmon->nfiles;
	uint64_t *runs = memory_array(n, sizeof(*runs));
	struct timespec when;
	size_t found = 1;

	for (size_t i = 0; i < n; i++)
		runs[i] = newest_run_of(m->files[i], &when);
	qsort(runs, n, sizeof(*runs), by_number);
	for (size_t i = 1; i < n; i++)
		found += runs[i] != runs[i - 1];
	free(runs);
	return found;
}

/* Prints if files of several runs are added up, or if they may be. */
void
head_note_runs(const struct model *m)
{
	const uint64_t runs = runs_of(m);
	const size_t by_profsup = runs_of_profsup(m);
	char files[128];
	const time_t gap = files_text(m, files, sizeof(files));

	if (m->gmon->nfiles < 2)
		return;
	if (by_profsup > 1)
		note("%s are added up, of %zu runs of profsup (--last takes the newest)", files,
		     by_profsup);
	else if (runs > 1)
		note("%s are added up, of %ju runs of the program (calls of main)", files,
		     (uintmax_t)runs);
	else if (runs == 0 && gap >= LONG_GAP)
		note("%s are added up, with %jd s between two of them: are all of one run?", files,
		     (intmax_t)gap);
}

/* Returns the build id of the file that a function without a name is of; NULL: it has one, or
 * nobody knows it. */
static const char *
build_id_of_nameless(const struct model *m, uint32_t f)
{
	const char *name = m->symbols->functions[f].name;

	if (!nameless_is(name) || m->symbols->functions[f].inlined)
		return NULL;
	if (m->stacks == NULL || f < m->stacks->cut)
		return m->symbols->exported ? m->symbols->build_id : NULL;
	return f > m->stacks->no_room ? m->stacks->other_build_id[f - m->stacks->no_room - 1]
	                              : NULL;
}

/* Prints if a large part of the time is in functions of one file that have no names. */
void
head_note_names(const struct model *m)
{
	const char *name, *path = m->symbols->path, *build_id = NULL;
	char text[NAMELESS_SIZE], *file;
	uint32_t most = FUNCTION_UNKNOWN;
	bool library;
	double self = 0, percent;

	/* Those without time may have no names because nobody asked for them. */
	for (uint32_t f = 1; f < m->symbols->nfunctions; f++)
		if (m->costs[f].self > self && build_id_of_nameless(m, f) != NULL) {
			most = f;
			self = m->costs[f].self;
			build_id = build_id_of_nameless(m, f);
		}
	percent = table_percent(self, m->ticks);
	if (build_id == NULL || percent < NAMELESS_LEAST)
		return;
	/* "[.text] [libz.so.1]" */
	name = strstr(m->symbols->functions[most].name, "] [");
	library = name != NULL;
	file = library ? memory_text("%.*s", (int)strlen(name + 3) - 1, name + 3)
	               : memory_text("%s", strrchr(path, '/') + 1);
	nameless_hint(file, percent, build_id, library, text);
	note("%s", text);
	free(file);
}

/* Writes how much time of what kind it is. */
static void
put_time(const struct report *r)
{
	static const char *const names[] = { "CPU time", "blocked time", "waiting for a CPU",
		                             "wall time" };
	const enum stacks_what what = model_what(r->m);

	fprintf(r->out, "%s: %.3f s of %s", r->m->symbols->program,
	        model_seconds(r->m, r->m->ticks), names[what]);
	if (what == STACKS_CPU)
		fprintf(r->out, " at %u Hz", r->m->gmon->rate);
	else
		fputs(" in all threads", r->out);
}

void
head_write(const struct report *r)
{
	const struct model *m = r->m;
	char files[128], calls[40];

	files_text(m, files, sizeof(files));
	if (m->calls == 0)
		snprintf(calls, sizeof(calls), "%s",
		         runtime_note_is_in(m->symbols->path) ? "no calls yet" : "samples only");
	else
		snprintf(calls, sizeof(calls), "%ju call%s", (uintmax_t)m->calls,
		         m->calls == 1 ? "" : "s");
	put_time(r);
	fprintf(r->out, ", %s; %s\n", calls, files);
	/* profsup --report has no hints, and here all that follows is zeros. */
	if (model_what(m) == STACKS_CPU && m->ticks <= 0 && m->runtime_ticks <= 0)
		fputs("no tick of CPU time was used: a higher rate (profsup -F) or a longer run "
		      "has some\n",
		      r->out);
	if (m->runtime_ticks > 0)
		fprintf(r->out, "%.3f s more were spent in counting calls\n",
		        model_seconds(m, m->runtime_ticks));
	if (m->stacks != NULL)
		fputs("total: measured, by call stacks\n", r->out);
	else
		fputs("~total: by shares of calls, as gprof has it; profsup -g measures it\n",
		      r->out);
}
