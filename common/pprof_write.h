/*
 * pprof's format, written: a protocol buffer (profile.proto), compressed by gzip.
 *
 * Each message goes to the file as soon as it is complete, so a profile takes no memory here.  What
 * a message refers to by number may come before it or behind it.  Texts, mappings, locations and
 * functions are numbered in the order in which they are put.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_PPROF_WRITE_H
#define PROFSUP_PPROF_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct pprof_file;

/* Numbers of the format's fields that stand once (comments: as often as there are some). */
enum pprof_type { PPROF_SAMPLE_TYPE = 1, PPROF_PERIOD_TYPE = 11 };
enum pprof_number {
	PPROF_TIME = 9, /* ns since 1970 */
	PPROF_DURATION = 10,
	PPROF_PERIOD = 12,
	PPROF_COMMENT = 13,     /* a text */
	PPROF_DEFAULT_TYPE = 14 /* a text */
};

/* What is 0 or false in these, is not known. */
struct pprof_mapping {
	uint64_t low, high, offset;
	uint64_t file, build_id; /* texts */
	bool has_functions, has_files, has_lines, has_inlines;
};
struct pprof_function {
	uint64_t name, system_name, file; /* texts */
	uint64_t line;
};
struct pprof_line {
	uint64_t function, line;
};
struct pprof_location {
	uint64_t mapping, address;
	const struct pprof_line *lines; /* the innermost function's first */
	size_t nlines;
};
struct pprof_label {
	uint64_t key, unit; /* texts */
	uint64_t number;
};
struct pprof_sample {
	const uint64_t *locations; /* the innermost first */
	const uint64_t *values;    /* one for each sample type */
	const struct pprof_label *labels;
	size_t nlocations, nvalues, nlabels;
};

/* NULL: no memory.  Text 0 is there: "". */
struct pprof_file *pprof_begin(FILE *out);
/* Each returns the number of what it has put. */
uint64_t pprof_put_text(struct pprof_file *f, const char *text);
uint64_t pprof_put_mapping(struct pprof_file *f, const struct pprof_mapping *mapping);
uint64_t pprof_put_function(struct pprof_file *f, const struct pprof_function *function);
uint64_t pprof_put_location(struct pprof_file *f, const struct pprof_location *location);
void pprof_put_sample(struct pprof_file *f, const struct pprof_sample *sample);
void pprof_put_type(struct pprof_file *f, enum pprof_type field, uint64_t type, uint64_t unit);
void pprof_put_number(struct pprof_file *f, enum pprof_number field, uint64_t n);
/* Frees `f`.  -1 with errno: the file is not whole. */
int pprof_end(struct pprof_file *f);

#endif
