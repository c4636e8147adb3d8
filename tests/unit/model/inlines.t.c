/*
 * Which inlined calls an address is in: ranges as spans, and the chain of an address of this
 * program.
 *
 * SPDX-License-Identifier: ISC
 */
#include "inlines.h"

#include "tap.h"

static char spans[1024];

static void
append(void *arg, const struct inline_span *span)
{
	const size_t len = strlen(spans);

	(void)arg;
	snprintf(spans + len, sizeof(spans) - len, "%s%ju-%ju:%u", len > 0 ? " " : "",
	         (uintmax_t)span->low, (uintmax_t)span->high, span->call);
}

/* `parents` are those of calls 1, 2, ... */
static void
flattened(struct inline_span *range, size_t n, const uint32_t *parents, const char *want,
          const char *what)
{
	spans[0] = '\0';
	inline_flatten(range, n, parents, append, NULL);
	is_str(spans, want, "%s", what);
}

static void
test_flatten(void)
{
	const uint32_t nested[] = { 0, 1, 2, 1 }, apart[] = { 0, 0 }, twins[] = { 0, 1, 0, 3 };

	flattened(NULL, 0, nested, "", "no ranges, no spans");
	flattened((struct inline_span[]){ { 30, 40, 3 }, { 10, 90, 1 }, { 20, 60, 2 } }, 3, nested,
	          "10-20:1 20-30:2 30-40:3 40-60:2 60-90:1",
	          "code is that of the innermost call, and behind it the outer one's again");
	flattened((struct inline_span[]){ { 10, 90, 1 }, { 10, 90, 2 } }, 2, nested, "10-90:2",
	          "a call may be all of the one that it is in");
	flattened((struct inline_span[]){ { 10, 50, 1 }, { 20, 30, 2 }, { 30, 40, 4 } }, 3, nested,
	          "10-20:1 20-30:2 30-40:4 40-50:1", "two calls in one, with nothing between");
	flattened((struct inline_span[]){ { 10, 20, 1 }, { 30, 40, 1 }, { 35, 36, 2 } }, 3, nested,
	          "10-20:1 30-35:1 35-36:2 36-40:1", "a call in several pieces");
	flattened((struct inline_span[]){ { 10, 20, 1 }, { 20, 30, 2 } }, 2, apart,
	          "10-20:1 20-30:2", "two calls, one behind the other");
	flattened(
	    (struct inline_span[]){ { 10, 40, 1 }, { 10, 40, 3 }, { 20, 30, 2 }, { 20, 30, 4 } }, 4,
	    twins, "10-20:1 20-30:2 30-40:1",
	    "of functions with the same code one is meant, whole");
	flattened((struct inline_span[]){ { 10, 30, 1 }, { 20, 40, 2 } }, 2, nested,
	          "10-20:1 20-30:2", "a call ends where the one around it does");
	flattened((struct inline_span[]){ { 10, 20, 2 } }, 1, nested, "10-20:2",
	          "code outside of the call around is taken, too");
}

#define INLINE static inline __attribute__((always_inline))
static volatile int sink;

INLINE void
innermost(void)
{
	for (int i = 0; i < 10; i++)
		sink += i;
}

INLINE void
middle(void)
{
	sink ^= 7;
	innermost(); /* MIDDLE */
}
enum { DECLARED = __LINE__ - 5, MIDDLE = __LINE__ - 2 };

__attribute__((noinline, used)) void around(void);

void
around(void)
{
	sink--;
	middle(); /* AROUND */
}
enum { AROUND = __LINE__ - 2 };

static const struct function *
function_named(const struct symbols *s, const char *name)
{
	for (size_t i = 0; i < s->nfunctions; i++)
		if (strcmp(s->functions[i].raw, name) == 0)
			return &s->functions[i];
	bail("no such symbol here");
}

static const char *
name_of(const struct inlines *in, uint32_t call)
{
	return inlines_text(in, in->calls[call - 1].name);
}

static bool
is_this_file(const char *file)
{
	const char *want = "inlines.t.c";

	return file != NULL && strlen(file) >= strlen(want) &&
	       strcmp(file + strlen(file) - strlen(want), want) == 0;
}

static void
test_chain(const struct inlines *in, const struct function *f)
{
	uint32_t chain[MOST_INLINED] = { 0 }, functions[MOST_INLINED], call = 0;
	const struct inline_call *outer, *inner;
	size_t n = 0, shallow = 0, back = 0;
	uint64_t next;

	for (uint64_t pc = f->low; pc < f->high && n < 2; pc++) {
		call = inlines_at(in, pc, &next);
		n = call == 0 ? 0 : inlines_chain(in, call, chain);
		shallow += n == 0;
		back += next <= pc;
	}
	ok(back == 0, "what is known of an address is known up to a higher one");
	ok(shallow > 0, "some code is the function's own");
	if (!is_int((int64_t)n, 2, "some is in a call in a call"))
		return;
	is_str(name_of(in, chain[0]), "middle", "the outer one");
	is_str(name_of(in, chain[1]), "innermost", "the inner one");
	outer = &in->calls[chain[0] - 1];
	inner = &in->calls[chain[1] - 1];
	is_int(outer->call_line, AROUND, "the outer call is where it is written");
	is_int(inner->call_line, MIDDLE, "so is the inner one");
	is_int(outer->line, DECLARED, "and the function where it is declared");
	ok(is_this_file(inlines_text(in, outer->call_file)) &&
	       is_this_file(inlines_text(in, outer->file)),
	   "all in this file");
	ok(outer->low >= f->low && outer->low < f->high, "the code begins in the function around");
	is_int((int64_t)inlines_functions(in, in->context[call - 1], functions), 2,
	       "the context has both functions");
	ok(functions[0] == in->function[chain[0] - 1] && functions[1] == in->function[chain[1] - 1],
	   "in that order");
}

static void
test_program(void)
{
	static struct symbols s; /* they stay, as in a tool */
	static struct inlines in, none;
	const struct function *f;
	struct extent wanted;

	symbols_read(&s, "/proc/self/exe", false, true);
	f = function_named(&s, "around");
	wanted = (struct extent){ f->low, f->high };
	inline_reader_start(&in, s.elf, s.fd, &wanted, 1);
	inlines_finish(&in, "this");
	if (in.ncalls == 0)
		skip("this program has no debugging information (CFLAGS)");
	else
		test_chain(&in, f);
	inline_reader_start(&none, s.elf, s.fd, NULL, 0);
	inlines_finish(&none, "this");
	is_int((int64_t)none.ncalls, 0, "where nothing is wanted nothing is read");
}

int
main(void)
{
	around();
	test_flatten();
	test_program();
	return done_testing();
}
