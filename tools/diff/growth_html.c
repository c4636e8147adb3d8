/*
 * How things grow, as a page with a plot; the data in it is that of JSON.
 *
 * SPDX-License-Identifier: ISC
 */
#include "growth.h"

static void
put_data(const void *arg, FILE *out)
{
	growth_json(arg, out);
}

void
growth_html(const struct growth *g, FILE *out)
{
	html_page(&(struct page){ growth_policy, growth_style, growth_script }, put_data, g, out);
}
