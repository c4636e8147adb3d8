/*
 * The command line of profsup-diff.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "diff.h"

struct gate;
struct growth;

struct format {
	const char *name;
	void (*write)(const struct diff *d, FILE *out); /* NULL: it is not for this */
	void (*gate)(const struct gate *g, FILE *out);
	void (*growth)(const struct growth *g, FILE *out);
};

/* allow.c's: what --allow says. */
struct allowance {
	char *pattern;
	bool arcs;         /* the pattern is of arcs, "caller -> function" */
	bool percent;      /* of what the baseline has */
	double less, more; /* by how much; infinite: by any number */
};

struct allowances {
	struct allowance *a;
	size_t n;
};

struct options {
	const struct format *format;
	const char *output; /* NULL: standard output */
	bool no_stacks, no_inlines, one_run, force, intervals, all, calls;
	double noise;
	double fail_over; /* as a part of the time before */
	const char *gate; /* the baseline; NULL: there is no --gate */
	struct allowances allow;
	bool update, cost;
	bool growth;
	int nwords;
	char **words; /* the operands, and NULL */
};

/* options.c */
void options_parse(struct options *opt, int argc, char **argv);

/* allow.c */
void allow_add(struct allowances *all, const char *text);

#endif
