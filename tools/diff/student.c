/*
 * Student's distribution, and the normal one.
 *
 * SPDX-License-Identifier: ISC
 */
#include "diff.h"

#include <math.h>

/* For whole degrees of freedom there is a finite sum (Abramowitz and Stegun, 26.7.3 and 26.7.4). */
static double
middle(double t, unsigned freedom)
{
	const double angle = atan(t / sqrt(freedom)), c2 = cos(angle) * cos(angle);
	double term = freedom % 2 == 0 ? 1 : cos(angle), sum = freedom > 1 ? term : 0;

	for (unsigned k = freedom % 2 + 2; k < freedom; k += 2) {
		term *= c2 * (k - 1) / k;
		sum += term;
	}
	sum *= sin(angle);
	return freedom % 2 == 0 ? sum : 2 / M_PI * (angle + sum);
}

/* From here on it is the normal distribution, to a part in 400 of t; a file may claim 4 billion. */
enum { MOST_FREEDOM = 1000 };

double
student_p(double t, unsigned freedom)
{
	double p;

	if (freedom == 0 || freedom > MOST_FREEDOM)
		return erfc(fabs(t) / M_SQRT2);
	p = 1 - middle(fabs(t), freedom);
	return p < 0 ? 0 : p;
}

/* The value that is passed, up or down, with a probability of p. */
double
student_beyond(double p, unsigned freedom)
{
	double low = 0, high = 13;

	while (student_p(high, freedom) > p && high < 1e12)
		high *= 2;
	while (high - low > 1e-9 * high) {
		const double t = (low + high) / 2;

		if (student_p(t, freedom) > p)
			low = t;
		else
			high = t;
	}
	return high;
}
