/*
 * What the tables have in common: names, numbers, and which functions are meant.
 *
 * SPDX-License-Identifier: ISC
 */
#include "report.h"

#include "functions.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Characters of a name that are shown without a terminal, and at least on any terminal. */
enum { NAME_SHOWN = 100, NAME_LEAST = 20, COLUMNS = 80 };

static unsigned
room_behind(unsigned before)
{
	struct winsize win = { 0 };
	unsigned columns;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &win) != 0)
		return NAME_SHOWN;
	columns = win.ws_col == 0 ? COLUMNS : win.ws_col;
	return columns > before + NAME_LEAST ? columns - before : NAME_LEAST;
}

const char *
table_short(const char *name, unsigned before, char buf[NAME_SIZE])
{
	return symname_short(name, room_behind(before), buf, NAME_SIZE);
}

const char *
table_name(const struct report *r, const char *name, unsigned before, char buf[NAME_SIZE])
{
	return r->wide ? name : table_short(name, before, buf);
}

const char *
table_text(const struct report *r, const char *text, unsigned before, char buf[NAME_SIZE])
{
	return r->wide ? text : symname_begin(text, room_behind(before), buf, NAME_SIZE);
}

/* The number behind a name is not cut. */
const char *
table_function(const struct report *r, uint32_t function, unsigned before, char buf[NAME_SIZE])
{
	const struct model *m = r->m;
	const uint32_t cycle = m->stacks != NULL ? 0 : m->groups[m->costs[function].group].cycle;
	const char *name = m->symbols->functions[function].name;
	static char *whole; /* until the next name: with -w it may be of any length */
	char number[32];

	if (cycle == 0)
		return table_name(r, name, before, buf);
	snprintf(number, sizeof(number), " <cycle %u>", cycle);
	name = table_name(r, name, before + (unsigned)strlen(number), buf);
	free(whole);
	whole = memory_text("%s%s", name, number);
	return whole;
}

static bool
head_matches(const char *name, size_t len, const char *pattern)
{
	char *head = memory_text("%.*s", (int)len, name);
	const bool same = strcmp(head, pattern) == 0 || fnmatch(pattern, head, 0) == 0;

	free(head);
	return same;
}

/* How long the name is without the file that functions of libraries have behind it: "read
 * [libc.so.6]". */
static size_t
length_without_file(const char *name)
{
	const size_t len = strlen(name);
	const char *file = NULL;

	for (const char *at = name; (at = strstr(at, " [")) != NULL; at++)
		file = at;
	return file != NULL && name[len - 1] == ']' ? (size_t)(file - name) : len;
}

/* How long the name is before its parameters, the last parentheses, which only other words may
 * follow: "(anonymous namespace)::f(void (*)()) const [inlined]". */
static size_t
length_without_parameters(const char *name)
{
	const char *end = strrchr(name, ')');
	int depth = 0;

	if (end == NULL || (end[1] != '\0' && end[1] != ' '))
		return strlen(name);
	for (const char *at = end; at > name; at--) {
		depth += (*at == ')') - (*at == '(');
		if (depth == 0)
			return (size_t)(at - name);
	}
	return strlen(name);
}

/* Whether a name is that of one of libc's variants of a function: strcmp is __strcmp_evex or
 * __strcmp_sse2_unaligned, as the CPU has it. */
static bool
is_variant(const char *name, const char *pattern)
{
	static const char *const cpu[] = { "sse",   "ssse", "avx",     "evex",    "erms",
		                           "fma",   "sve",  "generic", "simd",    "neon",
		                           "a64fx", "mops", "mte",     "thunderx" };
	const size_t len = strlen(pattern);

	if (strncmp(name, "__", 2) != 0 || strncmp(name + 2, pattern, len) != 0 ||
	    name[2 + len] != '_')
		return false;
	for (size_t i = 0; i < sizeof(cpu) / sizeof(*cpu); i++)
		if (strncmp(name + 2 + len + 1, cpu[i], strlen(cpu[i])) == 0)
			return true;
	return false;
}

/* Whether a name is meant that has neither parameters nor a type before it. */
static bool
plain_matches(const char *name, size_t len, const char *pattern)
{
	char *plain = name_without_any_arguments(name, len);
	const bool same = head_matches(plain, strlen(plain), pattern);

	free(plain);
	return same || head_matches(name, len, pattern) ||
	       head_matches(name, name_without_arguments(name, len), pattern);
}

/* Whether a name is meant: all of it, or what stands before the parameters, or before its file; and
 * the same without what a template's name has before and behind it. */
bool
table_matches(const char *name, const char *pattern)
{
	size_t all, head, short_of_file, end, start;

	if (pattern == NULL)
		return true;
	all = strlen(name);
	head = length_without_parameters(name);
	short_of_file = length_without_file(name);
	end = head < all ? (size_t)(strrchr(name, ')') - name) + 1 : all;
	if (head == all)
		head = short_of_file;
	start = name_start(name, head);
	return head_matches(name, all, pattern) || head_matches(name, head, pattern) ||
	       head_matches(name, short_of_file, pattern) || is_variant(name, pattern) ||
	       plain_matches(name + start, head - start, pattern) ||
	       head_matches(name + start, all - start, pattern) ||
	       head_matches(name + start, end - start, pattern);
}

double
table_percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

const char *
table_own_time(const struct report *r)
{
	static const char *const names[] = { "self s", "blocked s", "runnable s", "wall s" };

	return names[model_what(r->m)];
}

int
table_own_width(const struct report *r, int least)
{
	const int width = (int)strlen(table_own_time(r));

	return width > least ? width : least;
}

void
table_put_column(const struct report *r, int width, const char *text)
{
	if (r->m->calls > 0)
		fprintf(r->out, " %*s", width, text);
}

unsigned
table_before(const struct report *r, unsigned before, unsigned about_calls)
{
	return r->m->calls > 0 ? before : before - about_calls;
}

const char *
table_calls(uint64_t calls, char text[32])
{
	snprintf(text, 32, "%ju", (uintmax_t)calls);
	return calls == 0 ? "-" : text;
}

const char *
table_own_calls(const struct report *r, uint32_t function, char text[64])
{
	const struct cost *c = &r->m->costs[function];

	if (c->by_self == 0)
		return table_calls(c->calls, text);
	snprintf(text, 64, "%ju+%ju", (uintmax_t)table_calls_of(r, function),
	         (uintmax_t)c->by_self);
	return text;
}

/* As gprof's table has them. */
uint64_t
table_calls_of(const struct report *r, uint32_t function)
{
	const struct cost *c = &r->m->costs[function];

	return c->calls - c->by_self;
}
