/*
 * profsup-export: one file for each format, which is written from the model alone.  They write to
 * memory; output_write() sees to errors.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef EXPORT_H
#define EXPORT_H

#include "model.h"

void callgrind_write(const struct model *m, FILE *out);
void pprof_write(const struct model *m, FILE *out);
void folded_write(const struct model *m, FILE *out);
void json_write(const struct model *m, FILE *out);
void bsd_gmon_write(const struct model *m, FILE *out);
void gprof_inclusive_write(const struct model *m, FILE *out); /* needs stacks */
void perf_write(const struct model *m, FILE *out);
void call_graph_order_write(const struct model *m, FILE *out);
void svg_write(const struct model *m, FILE *out);
void html_write(const struct model *m, FILE *out);
void firefox_write(const struct model *m, FILE *out);               /* needs stacks with times */
void calls_write(struct model *const *models, size_t n, FILE *out); /* of several runs */
/* Of each file, with its labels. */
struct labels;
void rows_write_json(const struct load *load, const struct labels *labels, FILE *out);
void rows_write_csv(const struct load *load, const struct labels *labels, FILE *out);

static inline void
json_string(FILE *out, const char *s)
{
	json_string_but(out, s, "");
}

/* The page that html_write() fills: tools/export/html/make-page.sh makes them. */
extern const char html_before_data[], html_after_data[];

#endif
