/*
 * A gate's result as Markdown, for a comment in a pull request.  Names are anybody's: in a span of
 * code nothing is markup, a mention or a link.  What can't stand in one, within a table, has
 * references in place of all that could be markup.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gate.h"

#include "figure.h"
#include "functions.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A comment holds 65,536 characters on GitHub. */
enum { MOST_ROWS = 100, MOST_COSTS = 20, MOST_NAME = 120 };

static void
put_name(const char *name, FILE *out)
{
	char *clean = text_clean(name, strlen(name)), buf[8 * MOST_NAME];
	const char *cut = symname_short(clean, MOST_NAME, buf, sizeof(buf));

	if (strpbrk(cut, "`|\\") == NULL) {
		fprintf(out, "`%s`", cut);
	} else {
		fputs("<code>", out);
		for (const char *s = cut; *s != '\0'; s++)
			if (ispunct((unsigned char)*s))
				fprintf(out, "&#%d;", *s);
			else
				fputc(*s, out);
		fputs("</code>", out);
	}
	free(clean);
}

static void
put_row(const struct gate_row *r, FILE *out)
{
	char *before = gate_calls(r, BEFORE), *now = gate_calls(r, AFTER);
	char *change = gate_change(r);
	const struct baseline_entry *e = &r->entry[AFTER];

	fputs("| ", out);
	if (e->caller != NULL) {
		put_name(e->caller, out);
		fputs(" &rarr; ", out);
	}
	put_name(e->name, out);
	fprintf(out, " | %s | %s | %s%s |\n", before, now, change,
	        r->verdict == GATE_ALLOWED ? ", allowed" : "");
	free(before);
	free(now);
	free(change);
}

static void
put_rows(const struct gate *g, FILE *out)
{
	size_t n;
	const struct gate_row **rows = gate_order(g, &n);

	if (n > 0)
		fputs("\n| function, or arc | calls before | now | change |\n"
		      "|:---|---:|---:|---:|\n",
		      out);
	for (size_t i = 0; i < n && i < MOST_ROWS; i++)
		put_row(rows[i], out);
	if (n > MOST_ROWS)
		fprintf(out, "\nand %zu more.\n", n - MOST_ROWS);
	free(rows);
}

static void
put_costs(const struct gate *g, FILE *out)
{
	if (g->ncosts > 0)
		fputs("\n| function | self s | self/call | &plusmn; |\n|:---|---:|---:|---:|\n",
		      out);
	for (size_t i = 0; i < g->ncosts && i < MOST_COSTS; i++) {
		const struct gate_cost *c = &g->costs[i];
		char ns[FIGURE_SIZE], error[FIGURE_SIZE];

		fputs("| ", out);
		put_name(c->tally->name, out);
		fprintf(out, " | %.3f | %s | %s |\n", c->seconds, figure_per_call(c->ns, 1, ns),
		        figure_per_call(c->error, 1, error));
	}
}

static void
put_summary(const struct gate *g, FILE *out)
{
	const bool changed = g->changed[0] + g->changed[1] > 0 && !g->is_new;

	fputs("**Calls of ", out);
	put_name(g->now.program, out);
	fprintf(out, " are %sthose of ", changed ? "not " : "");
	put_name(g->opt->gate, out);
	if (changed)
		fprintf(out, "**: %zu of %zu functions and %zu of %zu arcs differ.\n",
		        g->changed[0], g->of[0], g->changed[1], g->of[1]);
	else
		fprintf(out, "**: %zu functions, %zu arcs.\n", g->of[0], g->of[1]);
}

void
gate_markdown(const struct gate *g, FILE *out)
{
	put_summary(g, out);
	put_rows(g, out);
	put_costs(g, out);
	fprintf(out, "\n%s%s\n", gate_blind,
	        g->ncosts > 0 ? " Self time is sampled, and decides nothing." : "");
}
