/*
 * Inlined calls: ranges that lie in each other, or do not, become spans in order, each of which is
 * in its call's range; and what a process has left that read a program made for it is taken only as
 * far as it holds together.
 *
 * An input is a way to go.  0: the number of calls, of each the one around it, and ranges of them.
 * 1: how long the names and the calls are, then these, and the spans.
 *
 * SPDX-License-Identifier: ISC
 */
// SOURCES: tools/model/inlines.c tools/model/inline_flatten.c tools/model/names.c
// SOURCES: tools/model/memory.c
#define TRACKED_OURS
#include "inlines.h"
#include "fuzz.h"
#include "tracked.h"

/* Nothing here ends early: all is freed by whoever has it. */
void *
tracked_resize(void *p, size_t n, size_t size)
{
	return reallocarray(p, n, size);
}

void *
tracked_zeros(size_t n, size_t size)
{
	return calloc(n, size);
}

void
tracked_free(void *p)
{
	free(p);
}

int
tracked_print(char **text, const char *fmt, va_list ap)
{
	return vasprintf(text, fmt, ap);
}

void
note(const char *fmt, ...)
{
	(void)fmt;
}

enum { MOST_RANGES = 1000 };

struct check {
	const struct inline_span *range;
	size_t n;
	uint64_t at;
};

static void
check_span(void *arg, const struct inline_span *span)
{
	struct check *c = arg;
	bool found = false;

	MUST(span->low >= c->at && span->low < span->high);
	c->at = span->high;
	for (size_t i = 0; i < c->n; i++)
		found |= c->range[i].call == span->call && c->range[i].low <= span->low &&
		         span->high <= c->range[i].high;
	MUST(found);
}

static void
flatten(struct input *in)
{
	const uint32_t ncalls = 1 + (take_number(in, 1) & UINT8_MAX);
	struct inline_span range[MOST_RANGES];
	struct check check = { .range = range };
	uint32_t parents[256];

	for (uint32_t i = 0; i < ncalls; i++)
		parents[i] = (uint32_t)take_number(in, 1) % (i + 1);
	for (; in->left > 0 && check.n < MOST_RANGES; check.n++) {
		const uint64_t low = take_number(in, 1), len = take_number(in, 1) + 1;

		range[check.n] = (struct inline_span){ low, low + len,
			                               1 + (uint32_t)take_number(in, 1) % ncalls };
	}
	inline_flatten(range, check.n, parents, check_span, &check);
}

static FILE *
file_of(struct input *in, size_t len)
{
	FILE *f = memory_file();

	len = len < in->left ? len : in->left;
	MUST(fwrite(in->data, 1, len, f) == len && fflush(f) == 0);
	in->data += len;
	in->left -= len;
	return f;
}

static void
check_calls(const struct inlines *in)
{
	uint32_t chain[MOST_INLINED];

	for (uint32_t c = 1; c <= in->ncalls; c++) {
		const size_t n = inlines_chain(in, c, chain);

		MUST(n > 0 && n <= MOST_INLINED && chain[n - 1] == c);
		for (size_t i = 1; i < n; i++)
			MUST(chain[i - 1] < chain[i]);
		MUST(in->function[c - 1] < in->nfunctions && in->context[c - 1] <= in->ncontexts);
		MUST(inlines_functions(in, in->context[c - 1], chain) > 0);
		MUST(chain[n - 1] == in->function[c - 1]);
		MUST(inlines_text(in, in->functions[in->function[c - 1]].name) != NULL);
	}
}

static void
check_spans(const struct inlines *in)
{
	uint64_t next = 0;

	for (size_t i = 0; i < in->nspans; i++) {
		const struct inline_span *s = &in->spans[i];

		MUST(s->low < s->high && s->call > 0 && s->call <= in->ncalls);
		MUST(i == 0 || in->spans[i - 1].high <= s->low);
		MUST(inlines_at(in, s->low, &next) == s->call && next == s->high);
		MUST(inlines_at(in, s->high - 1, &next) == s->call);
	}
}

static void
finish(struct input *in)
{
	const size_t names = take_number(in, 2), calls = take_number(in, 2);
	struct inlines inlines = { 0 };

	inlines.names_file = file_of(in, names);
	inlines.calls_file = file_of(in, calls);
	inlines.spans_file = file_of(in, in->left);
	inlines_finish(&inlines, "prog");
	check_calls(&inlines);
	check_spans(&inlines);
	free(inlines.names);
	free(inlines.texts);
	free(inlines.calls);
	free(inlines.spans);
	free(inlines.function);
	free(inlines.context);
	free(inlines.functions);
	free(inlines.contexts);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t began = fuzz_clock();
	struct input in = { data, size };

	if (take_number(&in, 1) == 0)
		flatten(&in);
	else
		finish(&in);
	MUST(fuzz_clock() - began < FUZZ_MS);
	return 0;
}
