/*
 * The difference as one JSON object; profsup-diff(1) describes it.
 *
 * SPDX-License-Identifier: ISC
 */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

static const char *
truth(bool b)
{
	return b ? "true" : "false";
}

static void
put_side(const struct diff *d, int side, FILE *out)
{
	const struct side *s = &d->sides[side];
	const struct symbols *symbols = s->first->symbols;

	fputs("{\"program\":", out);
	json_string(out, symbols->program);
	fputs(",\"build_id\":", out);
	json_string(out, symbols->build_id);
	fputs(",\"runs\":[", out);
	for (size_t i = 0; i < s->nruns; i++) {
		fputs(i > 0 ? "," : "", out);
		json_files(out, s->runs[i].files, JSON_NUMBERS);
	}
	fprintf(out, "],\"ticks_per_second\":%u,\"ticks\":%.15g,\"calls\":%ju}",
	        s->first->gmon->rate, s->ticks, (uintmax_t)s->calls);
}

static void
put_time(const struct item *i, FILE *out)
{
	fprintf(out,
	        "{\"before\":%.9g,\"after\":%.9g,\"change\":%.9g,\"error\":%.9g,\"p\":%.9g,"
	        "\"significant\":%s",
	        i->seconds[BEFORE], i->seconds[AFTER], i->change, i->error, i->p,
	        truth(i->significant));
}

static void
put_item(const struct item *i, FILE *out)
{
	put_time(i, out);
	if (i->divided)
		fprintf(out,
		        ",\"by_calls\":%.9g,\"by_calls_error\":%.9g,\"by_cost\":%.9g,"
		        "\"by_cost_error\":%.9g",
		        i->by_calls, i->by_calls_error, i->by_cost, i->by_cost_error);
	fputc('}', out);
}

static void
put_calls(const struct diff *d, const struct count *c, FILE *out)
{
	fprintf(out, ",\"calls\":{\"before\":%.15g,\"after\":%.15g,\"changed\":%s}",
	        judge_calls(d, c, BEFORE), judge_calls(d, c, AFTER),
	        truth(judge_calls_changed(d, c)));
}

static bool
is_in_profile(const struct entry *e)
{
	for (int side = 0; side < SIDES; side++)
		if (e->self.time.ticks[side] > 0 || e->total.time.ticks[side] > 0 ||
		    e->self.calls.sum[side] > 0)
			return true;
	return false;
}

/* Only functions in the profile are written: their numbers, from 0 on.  An arc's are among them,
 * but for a caller that has no time and no calls. */
static uint32_t *
number_entries(const struct diff *d)
{
	uint32_t *ids = memory_array(d->nentries, sizeof(*ids));
	bool *in = memory_array(d->nentries, sizeof(*in));
	uint32_t n = 0;

	for (size_t i = 0; i < d->narcs; i++)
		in[d->arcs[i].caller] = in[d->arcs[i].callee] = true;
	for (size_t i = 0; i < d->nentries; i++)
		ids[i] = in[i] || is_in_profile(&d->entries[i]) ? n++ : UINT32_MAX;
	free(in);
	return ids;
}

static void
put_function(const struct diff *d, const struct entry *e, uint32_t id, FILE *out)
{
	fprintf(out, "%s{\"id\":%u,\"name\":", id > 0 ? ",\n" : "\n", id);
	json_string(out, e->name);
	fprintf(out, ",\"in\":\"%s\"",
	        judge_is_new(e, AFTER)    ? "after"
	        : judge_is_new(e, BEFORE) ? "before"
	                                  : "both");
	if (e->self.calls.inlined[BEFORE] || e->self.calls.inlined[AFTER])
		fprintf(out, ",\"inlined\":\"%s\"",
		        !e->self.calls.inlined[BEFORE]  ? "after"
		        : !e->self.calls.inlined[AFTER] ? "before"
		                                        : "both");
	put_calls(d, &e->self.calls, out);
	fputs(",\"self\":", out);
	put_item(&e->self, out);
	if (d->measured) {
		fputs(",\"total\":", out);
		put_item(&e->total, out);
	}
	fputc('}', out);
}

static void
put_arc(const struct diff *d, const struct arc *a, const uint32_t *ids, FILE *out)
{
	fprintf(out, "{\"caller\":%u,\"callee\":%u", ids[a->caller], ids[a->callee]);
	put_calls(d, &a->item.calls, out);
	fputs(",\"time\":", out);
	put_item(&a->item, out);
	fputc('}', out);
}

struct tree {
	const struct diff *d;
	const uint32_t *ids;
	FILE *out;
	size_t frames;
	double beyond; /* of these */
};

static void
count(void *arg, uint32_t entry, const double ticks[SIDES], bool first)
{
	struct tree *t = arg;

	(void)entry;
	(void)ticks;
	(void)first;
	t->frames++;
}

static void
do_nothing(void *arg)
{
	(void)arg;
}

static void
enter(void *arg, uint32_t entry, const double ticks[SIDES], bool first)
{
	const struct tree *t = arg;

	fprintf(t->out,
	        "%s{\"id\":%u,\"before\":%.6g,\"after\":%.6g,\"error\":%.6g,"
	        "\"significant\":%s,\"calls\":[",
	        first ? "" : ",", t->ids[entry], judge_seconds(t->d, BEFORE, ticks[BEFORE]),
	        judge_seconds(t->d, AFTER, ticks[AFTER]), judge_sampling_error(t->d, ticks),
	        truth(judge_frame_changed(t->d, &t->d->entries[entry], ticks, t->beyond)));
}

static void
leave(void *arg)
{
	const struct tree *t = arg;

	fputs("]}", t->out);
}

/* What has less than this of the time is left out, with all below it. */
static const double least_share = 1.0 / 2000;

static void
put_tree(const struct diff *d, const uint32_t *ids, FILE *out)
{
	struct tree t = { d, ids, out, 0, 0 };

	if (!d->measured)
		return;
	paths_walk(d, least_share, &(struct path_walker){ &t, count, do_nothing });
	t.beyond = judge_frames_beyond(t.frames);
	fputs(",\n\"stacks\":[", out);
	paths_walk(d, least_share, &(struct path_walker){ &t, enter, leave });
	fputc(']', out);
}

static void
put_head(const struct diff *d, FILE *out)
{
	fputs("{\"format\":\"profsup-diff\",\"version\":1,\n\"before\":", out);
	put_side(d, BEFORE, out);
	fputs(",\n\"after\":", out);
	put_side(d, AFTER, out);
	fprintf(out, ",\n\"measured\":%s", truth(d->measured));
	if (d->noise_taken)
		fprintf(out, ",\"noise_percent\":%.9g", 100 * d->noise);
	fputs(",\n\"total\":", out);
	put_time(&d->total, out);
	fputs("}", out);
}

void
json_write(const struct diff *d, FILE *out)
{
	uint32_t *ids = number_entries(d);

	put_head(d, out);
	fputs(",\n\"functions\":[", out);
	for (size_t i = 0; i < d->nentries; i++)
		if (ids[i] != UINT32_MAX)
			put_function(d, &d->entries[i], ids[i], out);
	fputs("],\n\"arcs\":[", out);
	for (size_t i = 0; i < d->narcs; i++) {
		fputs(i > 0 ? ",\n" : "\n", out);
		put_arc(d, &d->arcs[i], ids, out);
	}
	fputs("]", out);
	put_tree(d, ids, out);
	fputs("}\n", out);
	free(ids);
}
