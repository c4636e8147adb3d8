/*
 * --allow=PATTERN=TOLERANCE: by how much calls may differ from the baseline.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gate.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char arrow[] = " -> ";

static void __attribute__((noreturn)) refuse(const char *text)
{
	command_refuse(
	    "--allow=%s: must be PATTERN=TOLERANCE, such as 'parse_*=+2%%', 'main -> f=10' or "
	    "'f=any'",
	    text);
}

/* [+|-]NUMBER[%], or "any"; without a sign, both ways. */
static void
parse_tolerance(struct allowance *a, const char *tolerance, const char *text)
{
	const char *number = tolerance + strspn(tolerance, "+-");
	char *end;
	double by;

	if (strcmp(tolerance, "any") == 0) {
		a->less = a->more = INFINITY;
		return;
	}
	by = strtod(number, &end);
	a->percent = *end == '%';
	end += a->percent;
	if (number - tolerance > 1 || strchr("0123456789.", *number) == NULL || end == number ||
	    *end != '\0' || !isfinite(by))
		refuse(text);
	a->less = *tolerance == '+' ? 0 : by;
	a->more = *tolerance == '-' ? 0 : by;
}

void
allow_add(struct allowances *all, const char *text)
{
	const char *sign = strrchr(text, '='); /* names of C++ may have one, too */
	struct allowance a = { 0 };

	if (sign == NULL || sign == text || sign[1] == '\0')
		refuse(text);
	parse_tolerance(&a, sign + 1, text);
	a.pattern = memory_text("%.*s", (int)(sign - text), text);
	a.arcs = strstr(a.pattern, arrow) != NULL;
	all->a = memory_grow(all->a, all->n, sizeof(*all->a));
	all->a[all->n++] = a;
}

/* A name may have what patterns have, as "[uncounted]" or "operator*" does. */
static bool
fits(const char *pattern, const char *name)
{
	return strcmp(pattern, name) == 0 || fnmatch(pattern, name, 0) == 0;
}

bool
allow_fits(const struct allowance *a, const struct baseline_entry *e)
{
	char *arc;
	bool fit;

	if (!a->arcs || e->caller == NULL)
		return !a->arcs && fits(a->pattern, e->name);
	arc = memory_text("%s%s%s", e->caller, arrow, e->name);
	fit = fits(a->pattern, arc);
	free(arc);
	return fit;
}

void
allow_widen(const struct allowances *all, const struct baseline_entry *e, double *low, double *high)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct allowance *a = &all->a[i];
		const double least = (double)e->low, most = (double)e->high;

		if (!allow_fits(a, e))
			continue;
		*low = fmin(*low, least - a->less * (a->percent ? least / 100 : 1));
		*high = fmax(*high, most + a->more * (a->percent ? most / 100 : 1));
	}
}
