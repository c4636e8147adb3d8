/*
 * Figures in tables.
 *
 * SPDX-License-Identifier: ISC
 */
#include "figure.h"

#include <stddef.h>
#include <stdio.h>

const char *
figure_per_call(double ns, uint64_t calls, char text[FIGURE_SIZE])
{
	static const char *const unit[] = { "ns", "us", "ms", "s" };
	double cost = calls == 0 ? 0 : ns / (double)calls;
	size_t i = 0;

	for (; cost >= 999.5 && i + 1 < sizeof(unit) / sizeof(unit[0]); i++)
		cost /= 1000;
	if (calls == 0 || cost <= 0)
		snprintf(text, FIGURE_SIZE, calls == 0 ? "-" : "0");
	else
		snprintf(text, FIGURE_SIZE, "%.*f%s", cost < 9.995 ? 2 : cost < 99.95, cost,
		         unit[i]);
	return text;
}
