/*
 * The inlined calls that an address is in: what inline_reader.c has found, by address.
 *
 * SPDX-License-Identifier: ISC
 */
#include "inlines.h"

#include "search.h"

#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

static void
take_texts(struct inlines *in)
{
	size_t len;

	in->names = memory_file_take(in->names_file, &len);
	for (const char *s = in->names, *end = s + len; s < end; s += strlen(s) + 1) {
		in->texts = memory_grow(in->texts, in->ntexts, sizeof(*in->texts));
		in->texts[in->ntexts++] = s;
	}
}

/* A call is in one before it, so a way up ends. */
static void
take_calls(struct inlines *in)
{
	size_t len;

	in->calls = memory_file_take(in->calls_file, &len);
	in->ncalls = len / sizeof(*in->calls);
	for (size_t i = 0; i < in->ncalls; i++)
		if (in->calls[i].parent > i || in->calls[i].name == 0 ||
		    in->calls[i].name > in->ntexts)
			in->ncalls = i;
}

static int
compare_spans(const void *a, const void *b)
{
	const struct inline_span *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->call < y->call ? -1 : x->call > y->call;
}

/* Units may claim the same code: the first one has it. */
static void
take_spans(struct inlines *in)
{
	uint64_t covered = 0;
	size_t len, n = 0;

	in->spans = memory_file_take(in->spans_file, &len);
	in->nspans = len / sizeof(*in->spans);
	if (in->nspans > 0)
		qsort(in->spans, in->nspans, sizeof(*in->spans), compare_spans);
	for (size_t i = 0; i < in->nspans; i++) {
		struct inline_span span = in->spans[i];

		span.low = span.low > covered ? span.low : covered;
		if (span.low >= span.high || span.call == 0 || span.call > in->ncalls)
			continue;
		covered = span.high;
		in->spans[n++] = span;
	}
	in->nspans = n;
}

static uint32_t
function_of(struct inlines *in, struct names *known, const struct inline_call *c)
{
	char *key = c->origin != 0 ? memory_text("%u %jx", c->name, (uintmax_t)c->origin)
	                           : memory_text("%u %u %u", c->name, c->file, c->line);
	const uint32_t before = known->n, number = names_number(known, key, NULL);

	free(key);
	if (known->n > before) {
		in->functions = memory_grow(in->functions, before, sizeof(*in->functions));
		in->functions[before] = (struct inline_function){ c->name, c->file, c->line };
		in->nfunctions = known->n;
	}
	return number;
}

static uint32_t
context_of(struct inlines *in, struct names *known, uint32_t parent, uint32_t function)
{
	char *key = memory_text("%u %u", parent, function);
	const uint32_t before = known->n, number = names_number(known, key, NULL);

	free(key);
	if (known->n > before) {
		in->contexts = memory_grow(in->contexts, before, sizeof(*in->contexts));
		in->contexts[before] = (struct inline_context){ parent, function };
		in->ncontexts = known->n;
	}
	return number + 1;
}

static void
number_functions(struct inlines *in)
{
	struct names functions = { 0 }, contexts = { 0 };

	in->function = memory_array(in->ncalls, sizeof(*in->function));
	in->context = memory_array(in->ncalls, sizeof(*in->context));
	for (size_t i = 0; i < in->ncalls; i++) {
		const struct inline_call *c = &in->calls[i];
		const uint32_t around = c->parent == 0 ? 0 : in->context[c->parent - 1];

		in->function[i] = function_of(in, &functions, c);
		in->context[i] = context_of(in, &contexts, around, in->function[i]);
	}
	names_free(&functions);
	names_free(&contexts);
}

void
inlines_free(struct inlines *in)
{
	free(in->names);
	free(in->texts);
	free(in->calls);
	free(in->spans);
	free(in->functions);
	free(in->contexts);
	free(in->function);
	free(in->context);
	free(in);
}

void
inlines_finish(struct inlines *in, const char *program)
{
	int status = -1;

	while (in->reader > 0 && waitpid(in->reader, &status, 0) < 0)
		if (errno != EINTR)
			err(EXIT_BAD, "inlined functions");
	take_texts(in);
	take_calls(in);
	take_spans(in);
	number_functions(in);
	if (status != 0)
		note("%s: its inlined functions take too long or too much memory: some are left "
		     "out",
		     program);
}

const char *
inlines_text(const struct inlines *in, uint32_t number)
{
	return number == 0 || number > in->ntexts ? NULL : in->texts[number - 1];
}

uint32_t
inlines_at(const struct inlines *in, uint64_t pc, uint64_t *next)
{
	size_t at;

	SEARCH(at, in->nspans, in->spans[at].high <= pc);
	if (at == in->nspans) {
		*next = UINT64_MAX;
		return 0;
	}
	*next = pc < in->spans[at].low ? in->spans[at].low : in->spans[at].high;
	return pc < in->spans[at].low ? 0 : in->spans[at].call;
}

size_t
inlines_chain(const struct inlines *in, uint32_t call, uint32_t chain[MOST_INLINED])
{
	size_t n = 0;

	for (uint32_t c = call; c != 0 && n < MOST_INLINED; c = in->calls[c - 1].parent)
		n++;
	for (size_t i = n; i-- > 0; call = in->calls[call - 1].parent)
		chain[i] = call;
	return n;
}

size_t
inlines_functions(const struct inlines *in, uint32_t context, uint32_t functions[MOST_INLINED])
{
	size_t n = 0;

	for (uint32_t c = context; c != 0 && n < MOST_INLINED; c = in->contexts[c - 1].parent)
		n++;
	for (size_t i = n; i-- > 0; context = in->contexts[context - 1].parent)
		functions[i] = in->contexts[context - 1].function;
	return n;
}
