/*
 * Bencher Metric Format: an object of benchmarks, each an object of measures.  A benchmark is a
 * function, and its measures are its calls and, if asked for, the self time of a call.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gate.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAME = 1024 /* characters, and one of ours has a byte at least */ };

static void
put_calls(const struct gate *g, const struct tally *t, FILE *out)
{
	const struct baseline_entry e = baseline_entry_of(&g->now, t);
	double mean = 0;

	for (size_t i = 0; i < g->now.nruns; i++)
		mean += (double)t->run[i].calls / (double)g->now.nruns;
	fprintf(out, "\"calls\":{\"value\":%.15g", mean);
	if (e.low < e.high)
		fprintf(out, ",\"lower_value\":%ju,\"upper_value\":%ju", (uintmax_t)e.low,
		        (uintmax_t)e.high);
	fputc('}', out);
}

static void
put_cost(const struct gate *g, const struct tally *t, FILE *out)
{
	for (size_t i = 0; i < g->ncosts; i++) {
		const struct gate_cost *c = &g->costs[i];
		const double low = c->ns > c->error ? c->ns - c->error : 0;

		if (c->tally == t)
			fprintf(out,
			        ",\"self-time-per-call\":{\"value\":%.9g,\"lower_value\":%.9g,"
			        "\"upper_value\":%.9g}",
			        c->ns, low, c->ns + c->error);
	}
}

void
bmf_write(const struct gate *g, FILE *out)
{
	size_t left = 0;
	bool any = false;

	fputc('{', out);
	for (size_t i = 0; i < g->now.n; i++) {
		const struct tally *t = &g->now.tally[i];
		char *name;

		if (t->caller != NULL || baseline_entry_of(&g->now, t).high == 0)
			continue;
		name = memory_text("%s: %s", g->now.program, t->name);
		if (strlen(name) <= MOST_NAME) {
			fputs(any ? ",\n" : "\n", out);
			any = true;
			json_string(out, name);
			fputs(":{", out);
			put_calls(g, t, out);
			put_cost(g, t, out);
			fputc('}', out);
		} else {
			left++;
		}
		free(name);
	}
	fputs("\n}\n", out);
	if (left > 0)
		note("bmf: %zu functions are left out: their names are longer than %d", left,
		     MOST_NAME);
}
