/*
 * What the parts of --format=firefox share: the processed format of the Firefox Profiler, in which
 * a table is an object of columns, and its rows are known by their numbers.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef FIREFOX_H
#define FIREFOX_H

#include "export.h"

/* Numbers of meta.categories. */
enum { CATEGORY_OTHER, CATEGORY_RUNNING, CATEGORY_RUNNABLE, CATEGORY_BLOCKED };

/* firefox_tables.c: functions and stacks, which all threads share. */

/* A cell that is null. */
#define FIREFOX_NULL INT64_MIN

struct firefox_function {
	uint32_t number; /* in the model */
	int64_t name, resource, source, line;
};

/* A table whose rows are texts, each once. */
struct firefox_texts {
	struct names names;
	uint32_t *string; /* of each row */
};

struct firefox_tables {
	const struct model *m;
	struct names strings;
	const char **string; /* by number */
	struct firefox_texts sources, resources;
	struct firefox_function *functions;
	size_t nfunctions;
	uint32_t *function_of; /* row of each place's function */
	/* The tree of stacks, callers before those whom they call; a root has itself as caller. */
	uint32_t *frame, *caller;
	size_t nnodes;
	uint32_t *node; /* of each stack: that of its innermost frame */
};

void firefox_tables_make(struct firefox_tables *t, const struct model *m);
uint32_t firefox_string(struct firefox_tables *t, const char *text);
/* Whether the function is one of the program. */
bool firefox_is_ours(const struct firefox_tables *t, uint32_t function);
/* Which category frames of the function have. */
int firefox_category(const struct firefox_tables *t, uint32_t function);
void firefox_tables_free(struct firefox_tables *t);

/* firefox_shared.c.  It comes last: then all strings are known. */
void firefox_shared_put(struct firefox_tables *t, FILE *out);

/* firefox_slices.c: when each thread ran and waited. */

/* A sample or a wait.  Those of a thread do not overlap. */
struct slice {
	uint64_t start, end; /* ns since 1970 */
	uint64_t amount;     /* ns; more than from start to end if other slices are in between */
	size_t stack;        /* its number in the model */
	int category;
};

struct firefox_thread {
	uint32_t process, number; /* as the kernel has them */
	struct slice *slices;     /* in their order */
	size_t n;
};

struct firefox_threads {
	struct firefox_thread *threads; /* by process; its own thread comes first */
	size_t n;
	uint64_t first;   /* when the first slice begins */
	uint64_t no_time; /* ns that have none, and are left out */
};

void firefox_threads_find(struct firefox_threads *all, const struct firefox_tables *t);
void firefox_threads_free(struct firefox_threads *all);

/* firefox_threads.c */
void firefox_threads_put(const struct firefox_threads *all, struct firefox_tables *t, FILE *out);

#endif
