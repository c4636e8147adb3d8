/*
 * How things grow, as one JSON object; profsup-diff(1) describes it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "growth.h"

#include <math.h>

/* JSON has no infinity. */
static void
put_number(const char *key, double v, FILE *out)
{
	if (isfinite(v))
		fprintf(out, ",\"%s\":%.9g", key, v);
	else
		fprintf(out, ",\"%s\":null", key);
}

static void
put_fit(const struct growth_fit *f, FILE *out)
{
	if (!f->known) {
		fputs("],\"growth\":null}", out);
		return;
	}
	fprintf(out, "],\"growth\":\"%s\"", f->log ? "n log n" : "n^k");
	put_number("exponent", f->exponent, out);
	put_number("error", f->sure ? f->error : NAN, out);
	fprintf(out, ",\"faster\":%s,\"ahead\":{\"n\":%.15g", f->faster ? "true" : "false",
	        10 * f->last);
	put_number("value", f->then, out);
	put_number("low", f->low, out);
	put_number("high", f->high, out);
	fputs("}}", out);
}

static void
put_calls(const struct growth *g, const struct growth_row *r, FILE *out)
{
	fputs(",\"calls\":{\"values\":[", out);
	for (size_t i = 0; i < g->nsizes; i++)
		fprintf(out, "%s%.15g", i > 0 ? "," : "", r->calls[i]);
	put_fit(&r->of_calls, out);
}

static void
put_time(const struct growth *g, const struct growth_row *r, FILE *out)
{
	fputs(",\"time\":{\"values\":[", out);
	for (size_t i = 0; i < g->nsizes; i++)
		fprintf(out, "%s%.9g", i > 0 ? "," : "", r->times[i].seconds);
	fputs("],\"errors\":[", out);
	for (size_t i = 0; i < g->nsizes; i++)
		fprintf(out, "%s%.9g", i > 0 ? "," : "", spread_error(&r->times[i], 0.05));
	put_fit(&r->of_time, out);
}

static void
put_row(const struct growth *g, const struct growth_row *r, FILE *out)
{
	fputs("{\"function\":", out);
	json_string(out, r->tally->name);
	fputs(",\"caller\":", out);
	if (r->tally->caller != NULL)
		json_string(out, r->tally->caller);
	else
		fputs("null", out);
	put_calls(g, r, out);
	if (r->tally->caller == NULL || g->measured)
		put_time(g, r, out);
	fputc('}', out);
}

static void
put_size(const struct growth *g, const struct growth_size *s, FILE *out)
{
	fprintf(out, "{\"n\":%.15g,\"runs\":[", s->n);
	for (size_t i = s->first; i < s->first + s->nruns; i++) {
		fputs(i > s->first ? "," : "", out);
		json_files(out, g->runs[i].files, JSON_NUMBERS);
	}
	fputs("]}", out);
}

void
growth_json(const struct growth *g, FILE *out)
{
	fputs("{\"format\":\"profsup-growth\",\"version\":1,\"program\":", out);
	json_string(out, g->symbols->program);
	fputs(",\"build_id\":", out);
	json_string(out, g->symbols->build_id);
	fprintf(out, ",\"measured\":%s,\n\"sizes\":[", g->measured ? "true" : "false");
	for (size_t i = 0; i < g->nsizes; i++) {
		fputs(i > 0 ? "," : "", out);
		put_size(g, &g->sizes[i], out);
	}
	fputs("],\n\"rows\":[", out);
	for (size_t i = 0; i < g->nrows; i++) {
		fputs(i > 0 ? ",\n" : "\n", out);
		put_row(g, &g->rows[i], out);
	}
	fputs("]}\n", out);
}
