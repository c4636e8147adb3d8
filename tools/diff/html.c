/*
 * A page that asks nobody for anything: its policy lets it run our own script and use our own
 * style, each known by its hash, and load nothing.  What comes from files is data for the script,
 * which shows it as text only.
 *
 * SPDX-License-Identifier: ISC
 */
#include "diff.h"

void
html_page(const struct page *p, void (*put_data)(const void *arg, FILE *out), const void *arg,
          FILE *out)
{
	fprintf(
	    out,
	    "<!DOCTYPE html>\n"
	    "<html lang=\"en\">\n"
	    "<head>\n"
	    "<meta charset=\"utf-8\">\n"
	    "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width\">\n"
	    "<title>profsup-diff</title>\n"
	    "<style>%s</style>\n"
	    "</head>\n"
	    "<body>\n"
	    "<noscript>This page needs JavaScript to show the profile that is in it.</noscript>\n"
	    "<script type=\"application/json\" id=\"data\">\n",
	    p->policy, p->style);
	put_data(arg, out);
	fprintf(out, "</script>\n<script>%s</script>\n</body>\n</html>\n", p->script);
}

static void
put_data(const void *arg, FILE *out)
{
	json_write(arg, out);
}

void
html_write(const struct diff *d, FILE *out)
{
	html_page(&(struct page){ page_policy, page_style, page_script }, put_data, d, out);
}
