/*
 * A gate's result as one JSON object; profsup-diff(1) describes it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gate.h"

#include <math.h>
#include <stdlib.h>

static void
put_calls(const char *key, const struct gate_row *r, int side, FILE *out)
{
	const struct baseline_entry *e = &r->entry[side];

	if (r->there[side])
		fprintf(out, ",\"%s\":{\"low\":%ju,\"high\":%ju}", key, (uintmax_t)e->low,
		        (uintmax_t)e->high);
	else
		fprintf(out, ",\"%s\":null", key);
}

static void
put_row(const struct gate_row *r, FILE *out)
{
	const struct baseline_entry *e = &r->entry[AFTER];

	fputs("{\"function\":", out);
	json_string(out, e->name);
	fputs(",\"caller\":", out);
	if (e->caller != NULL)
		json_string(out, e->caller);
	else
		fputs("null", out);
	put_calls("before", r, BEFORE, out);
	put_calls("now", r, AFTER, out);
	fprintf(out, ",\"allowed\":{\"low\":%.15g,\"high\":", r->low);
	if (isfinite(r->high))
		fprintf(out, "%.15g}", r->high);
	else
		fputs("null}", out);
	fprintf(out, ",\"state\":\"%s\",\"passes\":%s}", gate_state(r),
	        r->verdict == GATE_CHANGED ? "false" : "true");
}

static void
put_runs(const struct gate *g, FILE *out)
{
	for (size_t i = 0; i < g->now.nruns; i++) {
		fputs(i > 0 ? "," : "", out);
		json_files(out, g->runs[i].files, JSON_NUMBERS);
	}
}

static void
put_costs(const struct gate *g, FILE *out)
{
	if (!g->opt->cost)
		return;
	fputs(",\n\"costs\":[", out);
	for (size_t i = 0; i < g->ncosts; i++) {
		const struct gate_cost *c = &g->costs[i];

		fputs(i > 0 ? ",\n{\"function\":" : "\n{\"function\":", out);
		json_string(out, c->tally->name);
		fprintf(out, ",\"self\":%.9g,\"self_per_call_ns\":%.9g,\"error_ns\":%.9g}",
		        c->seconds, c->ns, c->error);
	}
	fputc(']', out);
}

void
gate_json(const struct gate *g, FILE *out)
{
	char *path = text_clean(g->opt->gate, MOST_PATH);
	bool any = false;

	fputs("{\"format\":\"profsup-gate\",\"version\":1,\"baseline\":", out);
	json_string(out, path);
	fputs(",\"program\":", out);
	json_string(out, g->now.program);
	fputs(",\"runs\":[", out);
	put_runs(g, out);
	fprintf(out, "],\n\"passes\":%s,\"functions\":%zu,\"arcs\":%zu,\n\"blind\":",
	        g->changed[0] + g->changed[1] > 0 ? "false" : "true", g->of[0], g->of[1]);
	json_string(out, gate_blind);
	fputs(",\n\"changes\":[", out);
	for (size_t i = 0; !g->is_new && i < g->nrows; i++)
		if (g->rows[i].verdict != GATE_SAME) {
			fputs(any ? ",\n" : "\n", out);
			put_row(&g->rows[i], out);
			any = true;
		}
	fputs("]", out);
	put_costs(g, out);
	fputs("}\n", out);
	free(path);
}
