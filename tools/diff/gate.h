/*
 * profsup-diff --gate: whether runs have the calls of a baseline.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef GATE_H
#define GATE_H

#include "calls.h"
#include "options.h"

/* allow.c */

/* Widens what is allowed by all that fit. */
bool allow_fits(const struct allowance *a, const struct baseline_entry *e);
void allow_widen(const struct allowances *all, const struct baseline_entry *e, double *low,
                 double *high);

/* baseline_read.c: false if there is no such file; else it is read, or is wrong, and that ends us.
 */
bool baseline_read(struct baseline *b, const char *path);

enum gate_verdict { GATE_SAME, GATE_ALLOWED, GATE_CHANGED };

struct gate_row {
	struct baseline_entry entry[SIDES]; /* both have the name, and the caller */
	bool there[SIDES];
	double low, high; /* what is allowed */
	enum gate_verdict verdict;
};

/* What a call of a function takes by itself, ns, and half the interval that has it with 95 %. */
struct gate_cost {
	const struct tally *tally;
	double seconds; /* of a run */
	double ns, error;
};

struct gate {
	const struct options *opt;
	const struct run *runs;
	struct baseline before;
	bool is_new; /* there was no baseline */
	struct tallies now;
	struct gate_row *rows; /* by name and caller */
	size_t nrows;
	size_t changed[2], allowed[2], of[2]; /* functions and arcs */
	size_t vague;                         /* ranges that let half or twice pass */
	struct gate_cost *costs;              /* the dearest function first */
	size_t ncosts;
};

/* gate.c: returns the exit status. */
int gate_run(const struct options *opt);
/* What a gate does not see. */
extern const char gate_blind[];

/* gate_rows.c: what is shown to people. */
bool gate_is_shown(const struct gate *g, const struct gate_row *r);
const char *gate_state(const struct gate_row *r);
/* "100", or "100..104". */
char *gate_calls(const struct gate_row *r, int side);
/* "+1.5 %", "new" or "gone". */
char *gate_change(const struct gate_row *r);
/* Those rows that are shown: by how much a function has changed, and arcs behind their function. */
const struct gate_row **gate_order(const struct gate *g, size_t *n);

/* gate_cost.c */
void gate_cost(struct gate *g);

/* gate_text.c, gate_markdown.c, gate_json.c, bmf.c */
void gate_text(const struct gate *g, FILE *out);
void gate_markdown(const struct gate *g, FILE *out);
void gate_json(const struct gate *g, FILE *out);
void bmf_write(const struct gate *g, FILE *out);

#endif
