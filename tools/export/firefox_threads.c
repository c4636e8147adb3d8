/*
 * --format=firefox: the tables of each thread.
 *
 * SPDX-License-Identifier: ISC
 */
#include "firefox.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Waits of one call that are no further apart are one: the times of both are rounded. */
enum { TOGETHER_NS = 1000 };

/* Milliseconds, exact to the nanosecond. */
static void
put_ms(FILE *out, uint64_t ns)
{
	fprintf(out, "%" PRIu64 ".%06" PRIu64, ns / 1000000, ns % 1000000);
}

/* A row of the table of samples; no stack: what comes is not known. */
struct row {
	const struct slice *slice; /* NULL: none */
	uint64_t time, amount;
};

/* A thread has four rows for each slice at the most. */
struct rows {
	struct row *row;
	size_t n;
	uint64_t period;
};

/* Adds what lasts from one time to another.  The front end draws a row up to halfway to the next
 * one, so that what is long has its end as a row, too. */
static void
add_rows(struct rows *r, const struct slice *slice, uint64_t from, uint64_t to)
{
	r->row[r->n++] = (struct row){ slice, from, slice == NULL ? 0 : slice->amount };
	if (to - from > r->period)
		r->row[r->n++] = (struct row){ slice, to, 0 };
}

static void
make_rows(struct rows *r, const struct firefox_thread *thread)
{
	for (size_t i = 0; i < thread->n; i++) {
		const struct slice *s = &thread->slices[i];

		add_rows(r, s, s->start, s->end);
		if (i + 1 == thread->n)
			add_rows(r, NULL, s->end, s->end);
		else if (s[1].start > s->end)
			add_rows(r, NULL, s->end, s[1].start);
	}
}

static void
put_samples(const struct firefox_threads *all, const struct firefox_thread *thread,
            const struct firefox_tables *t, FILE *out)
{
	struct rows r = { memory_array(4 * thread->n, sizeof(*r.row)), 0, t->m->stacks->period };

	make_rows(&r, thread);
	fputs("\"samples\":{\"stack\":[", out);
	for (size_t i = 0; i < r.n; i++) {
		fputs(i > 0 ? "," : "", out);
		if (r.row[i].slice == NULL)
			fputs("null", out);
		else
			fprintf(out, "%u", t->node[r.row[i].slice->stack]);
	}
	fputs("],\n\"time\":[", out);
	for (size_t i = 0; i < r.n; i++) {
		fputs(i > 0 ? "," : "", out);
		put_ms(out, r.row[i].time - all->first);
	}
	fputs("],\n\"weight\":[", out);
	for (size_t i = 0; i < r.n; i++) {
		fputs(i > 0 ? "," : "", out);
		put_ms(out, r.row[i].amount);
	}
	fprintf(out, "],\n\"weightType\":\"tracing-ms\",\"length\":%zu},\n", r.n);
	free(r.row);
}

/* Waits that follow each other at one stack. */
struct wait {
	const struct slice *first;
	uint64_t end;
	uint32_t name; /* of a string */
};

/* Returns the name of what is waited for: "read" of "[read]". */
static uint32_t
wait_name(struct firefox_tables *t, const struct slice *s)
{
	const struct stacks *stacks = t->m->stacks;
	const struct stack *stack = &stacks->stack[s->stack];
	const struct place *place = &stacks->places[stacks->frames[stack->at + stack->n - 1]];
	const char *name = t->m->symbols->functions[place->function].name;
	char *plain = memory_text("%.*s", (int)strlen(name) - 2, name + 1);
	const uint32_t number = firefox_string(t, plain);

	free(plain);
	return number;
}

static struct wait *
waits_of(const struct firefox_thread *thread, struct firefox_tables *t, size_t *n)
{
	struct wait *waits = memory_array(thread->n, sizeof(*waits));
	const struct slice *before = NULL;

	*n = 0;
	for (const struct slice *s = thread->slices; s < thread->slices + thread->n; before = s++) {
		if (s->category == CATEGORY_RUNNING)
			continue;
		if (before != NULL && t->node[before->stack] == t->node[s->stack] &&
		    s->start <= before->end + TOGETHER_NS)
			waits[*n - 1].end = s->end;
		else
			waits[(*n)++] = (struct wait){ s, s->end, wait_name(t, s) };
	}
	return waits;
}

static void
put_markers(const struct firefox_threads *all, const struct firefox_thread *thread,
            struct firefox_tables *t, FILE *out)
{
	size_t n;
	struct wait *waits = waits_of(thread, t, &n);

	fputs("\"markers\":{\"name\":[", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%u", i > 0 ? "," : "", waits[i].name);
	fputs("],\n\"startTime\":[", out);
	for (size_t i = 0; i < n; i++) {
		fputs(i > 0 ? "," : "", out);
		put_ms(out, waits[i].first->start - all->first);
	}
	fputs("],\n\"endTime\":[", out);
	for (size_t i = 0; i < n; i++) {
		fputs(i > 0 ? "," : "", out);
		put_ms(out, waits[i].end - all->first);
	}
	fputs("],\n\"phase\":[", out);
	for (size_t i = 0; i < n; i++)
		fputs(i > 0 ? ",1" : "1", out); /* it has a start and an end */
	fputs("],\n\"category\":[", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%d", i > 0 ? "," : "", waits[i].first->category);
	fputs("],\n\"data\":[", out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s{\"type\":\"wait\",\"cause\":{\"stack\":%u}}", i > 0 ? "," : "",
		        t->node[waits[i].first->stack]);
	fprintf(out, "],\n\"length\":%zu}", n);
	free(waits);
}

static const char *
program_name(const struct firefox_tables *t)
{
	const char *path = t->m->symbols->program, *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static void
put_thread(const struct firefox_threads *all, const struct firefox_thread *thread,
           struct firefox_tables *t, FILE *out)
{
	const bool main = thread->number == thread->process;

	fputs("{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
	      "\"registerTime\":",
	      out);
	put_ms(out, thread->slices[0].start - all->first);
	fputs(
	    ",\"unregisterTime\":null,\"pausedRanges\":[],\"showMarkersInTimeline\":true,\"name\":",
	    out);
	if (main)
		json_string(out, program_name(t));
	else
		fprintf(out, "\"thread %u\"", thread->number);
	fputs(",\"processName\":", out);
	json_string(out, program_name(t));
	fprintf(out, ",\"isMainThread\":%s,\"pid\":\"%u\",\"tid\":%u,\n", main ? "true" : "false",
	        thread->process, thread->number);
	put_samples(all, thread, t, out);
	put_markers(all, thread, t, out);
	fputs("}", out);
}

void
firefox_threads_put(const struct firefox_threads *all, struct firefox_tables *t, FILE *out)
{
	fputs("\"threads\":[", out);
	for (size_t i = 0; i < all->n; i++) {
		fputs(i > 0 ? ",\n" : "\n", out);
		put_thread(all, &all->threads[i], t, out);
	}
	fputs("],\n", out);
}
