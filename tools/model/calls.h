/*
 * Exact calls, by names that are the same in every build, on every machine and in every run: what
 * profsup-export writes as a baseline, and profsup-diff compares runs with.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef CALLS_H
#define CALLS_H

#include "model.h"

/* call_names.c: the name of each function of the program, with its file, and line, where several
 * functions have one name.  Functions of one name may be alike even then: they are one. */
const char **call_names(const struct symbols *s, size_t n);

/* tallies.c */

/* Stands for callers whose own calls are not counted, such as libc's functions. */
#define CALLS_UNCOUNTED "[uncounted]"

/* What one run has of a function or an arc. */
struct tally_run {
	uint64_t calls;
	uint64_t parts; /* of these, while they are added up: of parts of the function */
	double ticks;   /* of the function itself, or below the arc, if stacks have measured it */
};

struct tally {
	const char *name;   /* of the function */
	const char *caller; /* NULL: all its calls */
	struct tally_run *run;
};

struct tallies {
	const char *program; /* the last part of its name */
	struct tally *tally; /* sorted by name and caller; a function comes before arcs to it */
	size_t n;
	uint32_t *rate; /* ticks a second of each run */
	size_t nruns;
	const char **texts; /* all names */
	size_t ntexts;
};

/* The first model has the names of all functions, and lines. */
void tallies_make(struct tallies *t, struct model *const *models, size_t nruns);
/* Of one run, with what call_names() returns, and with each caller's own name: a caller that this
 * file has no calls of may be counted in the next. */
void tallies_of(struct tallies *t, struct model *m, const char *const *names);
void tallies_free(struct tallies *t);

/* baseline.c */

/* A line of a baseline. */
struct baseline_entry {
	const char *name, *caller; /* as in struct tally */
	uint64_t low, high;        /* calls of a run */
	uint32_t runs;             /* that have shown so many, if low and high differ */
};

struct baseline {
	const char *program;
	struct baseline_entry *entry; /* sorted as tallies are */
	size_t n;
};

#define BASELINE_MAGIC "profsup-calls 1"

int baseline_compare(const char *name, const char *caller, const struct baseline_entry *e);
struct baseline_entry baseline_entry_of(const struct tallies *t, const struct tally *tally);
/* Exits if there are no calls at all: such a baseline would let anything pass. */
void baseline_of(struct baseline *b, const struct tallies *t);
void baseline_write(const struct baseline *b, FILE *out);

#endif
