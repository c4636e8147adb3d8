/*
 * profsup-diff --growth: how calls and time grow with the size of the input.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef GROWTH_H
#define GROWTH_H

#include "options.h"
#include "spread.h"

/* The runs with one size. */
struct growth_size {
	double n;
	size_t first, nruns; /* in the tallies */
};

/* growth_fit.c: how something grows. */
struct growth_point {
	double n, y;
	double samples, runs; /* variances of its logarithm: by samples, and by how runs differ */
};

struct growth_fit {
	bool known;             /* two points at least have it */
	bool log;               /* as n log n, else as n to the power of the exponent */
	bool sure;              /* the error is known */
	bool faster;            /* than n */
	double exponent, error; /* half of the interval with 95 %, or of what sizes differ by */
	double last;            /* n of the last point */
	double then, low, high; /* at ten times that n */
};

/* Of calls: exact, but for what runs differ by. */
struct growth_fit growth_fit_calls(const struct growth_point *p, size_t n, unsigned freedom);
/* Of times; `probability`: of an error that is larger than said. */
struct growth_fit growth_fit_time(const struct growth_point *p, size_t n, unsigned freedom,
                                  double probability);

struct growth_row {
	const struct tally *tally;
	bool alone;    /* an arc that has all calls of its function: tells nothing more */
	double *calls; /* of each size */
	struct spread *times;
	struct growth_fit of_calls, of_time;
};

struct growth {
	const struct options *opt;
	const struct symbols *symbols;
	struct run *runs;
	struct tallies tallies;
	bool measured; /* arcs have time */
	struct growth_size *sizes;
	size_t nsizes;
	struct growth_row *rows;
	size_t nrows;
};

/* growth.c */
int growth_run(const struct options *opt);

/* growth_text.c, growth_json.c, growth_html.c */
void growth_text(const struct growth *g, FILE *out);
void growth_json(const struct growth *g, FILE *out);
void growth_html(const struct growth *g, FILE *out);

#endif
