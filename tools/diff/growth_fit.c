/*
 * How a number grows with n: as n^k, by least squares of logarithms, or as n log n.
 *
 * Numbers of calls are exact, and no error of k comes from chance.  But few are powers: n (n - 1) /
 * 2 is one only nearly.  So what k differs by, from each size to the next, is taken for its error.
 * If it only rises from size to size, as that of n^2 + 1000 n does, or only falls, that of the last
 * two is nearest to what comes.
 *
 * SPDX-License-Identifier: ISC
 */
#include "growth.h"

#include <math.h>
#include <stdlib.h>

/* What grows less faster than n does not count: 1 + 1 / log n of n log n is more up to n = 10^10.
 */
static const double margin = 0.04;
/* n log n - n, as sorting has it, looks like a little more than n log n; and powers of more are not
 * like it anyway. */
static const double near_log = 0.1, most_log = 1.4;
/* By how much of its growth a number may be away from a straight line: n log n is by 2 percent
 * between n and 4 n. */
static const double straight = 0.005;

struct fitted {
	double slope, residuals; /* squares, by weight */
	double samples, runs;    /* variances of the slope */
};

static double
square(double x)
{
	return x * x;
}

/* The logarithm of y, or of y / (n log n). */
static double
height(const struct growth_point *p, bool by_log)
{
	return by_log ? log(p->y) - log(p->n) - log(log(p->n)) : log(p->y);
}

static double
weight(const struct growth_point *p)
{
	const double variance = p->samples + p->runs;

	return variance > 0 ? 1 / variance : 1;
}

/* A line through the logarithms, by weighted least squares. */
static struct fitted
line_through(const struct growth_point *p, size_t n, bool by_log)
{
	double w = 0, x = 0, y = 0, xx = 0, xy = 0;
	struct fitted l = { 0 };

	for (size_t i = 0; i < n; i++) {
		w += weight(&p[i]);
		x += weight(&p[i]) * log(p[i].n);
		y += weight(&p[i]) * height(&p[i], by_log);
	}
	x /= w;
	y /= w;
	for (size_t i = 0; i < n; i++) {
		xx += weight(&p[i]) * square(log(p[i].n) - x);
		xy += weight(&p[i]) * (log(p[i].n) - x) * (height(&p[i], by_log) - y);
	}
	l.slope = xy / xx;
	for (size_t i = 0; i < n; i++) {
		const double by = weight(&p[i]) * (log(p[i].n) - x) / xx;

		l.residuals +=
		    weight(&p[i]) * square(height(&p[i], by_log) - y - l.slope * (log(p[i].n) - x));
		l.samples += square(by) * p[i].samples;
		l.runs += square(by) * p[i].runs;
	}
	return l;
}

static double
error_of(const struct fitted *l, unsigned freedom, double probability)
{
	const double a = student_beyond(probability, 0) * sqrt(l->samples);
	const double b = freedom > 0 ? student_beyond(probability, freedom) * sqrt(l->runs) : 0;

	return a > b ? a : b;
}

/* The exponent from one point to the next. */
static double
between(const struct growth_point *p)
{
	return log(p[1].y / p[0].y) / log(p[1].n / p[0].n);
}

/* Whether it is a + b n. */
static bool
is_straight(const struct growth_point *p, size_t n)
{
	const double slope = (p[n - 1].y - p[0].y) / (p[n - 1].n - p[0].n);

	for (size_t i = 1; i + 1 < n; i++) {
		const double there = p[0].y + slope * (p[i].n - p[0].n);

		if (fabs(p[i].y - there) > straight * fabs(p[n - 1].y - p[0].y))
			return false;
	}
	return n > 2;
}

/* What it is at ten times the last n. */
static void
look_ahead(struct growth_fit *f, const struct growth_point *last)
{
	const double error = f->sure ? f->error : 0;

	f->last = last->n;
	if (f->log) {
		f->then = f->low = f->high = last->y * 10 * log(10 * last->n) / log(last->n);
		return;
	}
	f->then = last->y * pow(10, f->exponent);
	f->low = last->y * pow(10, f->exponent - error);
	f->high = last->y * pow(10, f->exponent + error);
}

/* Only points that have something, with logarithms, are of use. */
static struct growth_point *
take_points(const struct growth_point *p, size_t *n)
{
	struct growth_point *taken = memory_array(*n, sizeof(*taken));
	size_t out = 0;

	for (size_t i = 0; i < *n; i++)
		if (p[i].y > 0)
			taken[out++] = p[i];
	*n = out;
	return taken;
}

/* Whether the exponent only rises. */
static bool
rises(const struct growth_point *p, size_t n)
{
	bool all = n > 2;

	for (size_t i = 1; i + 1 < n; i++)
		all &= between(&p[i]) > between(&p[i - 1]);
	return all;
}

static bool
falls(const struct growth_point *p, size_t n)
{
	bool all = n > 2;

	for (size_t i = 1; i + 1 < n; i++)
		all &= between(&p[i]) < between(&p[i - 1]);
	return all;
}

static void
fit_exponent(struct growth_fit *f, const struct growth_point *p, size_t n, double by_all)
{
	const bool by_last = rises(p, n) || falls(p, n);

	f->exponent = by_last ? between(&p[n - 2]) : by_all;
	for (size_t i = by_last ? n - 3 : 0; i + 1 < n; i++)
		f->error = fmax(f->error, fabs(between(&p[i]) - f->exponent));
}

static bool
is_near_log(const struct growth_point *p, size_t n)
{
	return fabs(line_through(p, n, true).slope) < near_log;
}

/* The exponents of n log n fall.  Those of n^2 + 1000 n rise, and come by n log n's on their way:
 * the line through all sizes may have them on the average, and that through the last two just
 * there.
 */
static bool
is_log(const struct growth_point *p, size_t n)
{
	if (rises(p, n) && between(&p[n - 2]) - between(&p[0]) > margin)
		return false;
	return is_near_log(p, n) && is_near_log(&p[n - 2], 2);
}

struct growth_fit
growth_fit_calls(const struct growth_point *points, size_t n, unsigned freedom)
{
	struct growth_fit f = { 0 };
	struct growth_point *p = take_points(points, &n);

	if (n > 1) {
		const struct fitted line = line_through(p, n, false);

		f.known = true;
		f.sure = n > 2;
		fit_exponent(&f, p, n, line.slope);
		f.error = fmax(f.error, error_of(&line, freedom, 0.05));
		f.faster =
		    f.exponent > 1 + margin && f.exponent - f.error > 1 && !is_straight(p, n);
		f.log = f.faster && f.exponent < most_log && is_log(p, n);
		look_ahead(&f, &p[n - 1]);
	}
	free(p);
	return f;
}

struct growth_fit
growth_fit_time(const struct growth_point *points, size_t n, unsigned freedom, double probability)
{
	struct growth_fit f = { 0 };
	struct growth_point *p = take_points(points, &n);

	if (n > 1) {
		const struct fitted line = line_through(p, n, false);
		const double spread = n > 2 ? line.residuals / (double)(n - 2) : 0;

		f.known = f.sure = true;
		f.exponent = line.slope;
		/* Points that are farther from the line than their errors say. */
		f.error = error_of(&line, freedom, probability) * sqrt(fmax(spread, 1));
		f.faster = f.exponent - f.error > 1 + margin;
		f.log = f.faster && fabs(line_through(p, n, true).slope) < f.error;
		look_ahead(&f, &p[n - 1]);
	}
	free(p);
	return f;
}
