/*
 * TAP for C.
 *
 * SPDX-License-Identifier: ISC
 */
#include "tap.h"

#include <inttypes.h>
#include <stdarg.h>

static int points, failures;

static void
point(int good, const char *fmt, va_list ap)
{
	printf("%sok %d - ", good ? "" : "not ", ++points);
	vprintf(fmt, ap);
	printf("\n");
	fflush(stdout);
	failures += !good;
}

int
ok(int good, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	point(good, fmt, ap);
	va_end(ap);
	return good;
}

int
is_int(int64_t got, int64_t want, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	point(got == want, fmt, ap);
	va_end(ap);
	if (got != want)
		diag("got %" PRId64 ", want %" PRId64, got, want);
	return got == want;
}

int
is_str(const char *got, const char *want, const char *fmt, ...)
{
	const int same = strcmp(got, want) == 0;
	va_list ap;

	va_start(ap, fmt);
	point(same, fmt, ap);
	va_end(ap);
	if (!same)
		diag("got \"%s\", want \"%s\"", got, want);
	return same;
}

void
diag(const char *fmt, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

void
skip(const char *why)
{
	const char *must = getenv("PROFSUP_TEST_MUST_RUN");

	if (must != NULL && strcmp(must, "1") == 0)
		ok(0, "must run: %s", why);
	else
		printf("ok %d # SKIP %s\n", ++points, why);
}

void
bail(const char *why)
{
	printf("Bail out! %s\n", why);
	exit(255);
}

int
done_testing(void)
{
	printf("1..%d\n", points);
	return failures != 0;
}
