/*
 * The Firefox Profiler's processed format: what each thread did over time.
 *
 * The front end takes all versions of it that there were, and Perfetto those that have tables for
 * all threads (from 60 on) and whose stacks name their callers (up to 65).
 *
 * SPDX-License-Identifier: ISC
 */
#include "firefox.h"

#include <elf.h>
#include <err.h>
#include <inttypes.h>
#include <stdlib.h>

enum { VERSION = 60, GECKO_VERSION = 27, NS_IN_MS = 1000000 };

/* As many as CATEGORY_BLOCKED says, in their order; frames without one have the grey one. */
static const char categories[] =
    "\"categories\":["
    "{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]},\n"
    "{\"name\":\"Running\",\"color\":\"green\",\"subcategories\":[\"Other\"]},\n"
    "{\"name\":\"Waiting for a CPU\",\"color\":\"red\",\"subcategories\":[\"Other\"]},\n"
    "{\"name\":\"Blocked\",\"color\":\"lightblue\",\"subcategories\":[\"Other\"]}],\n";

static const char marker_schema[] =
    "\"markerSchema\":[{\"name\":\"wait\",\"tooltipLabel\":\"{marker.name}\","
    "\"tableLabel\":\"{marker.name}\",\"chartLabel\":\"{marker.name}\","
    "\"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],\"fields\":[],"
    "\"description\":\"The system call in which the thread was blocked, or its wait for a CPU.\"}],"
    "\n";

/* Perfetto knows the format by this being first. */
static void
put_meta(const struct firefox_threads *all, const struct model *m, FILE *out)
{
	const double ms = (double)m->stacks->period / NS_IN_MS;

	fprintf(out, "{\"meta\":{\"interval\":%.6f,\"startTime\":%" PRIu64 ".%06" PRIu64 ",", ms,
	        all->first / NS_IN_MS, all->first % NS_IN_MS);
	fprintf(out, "\"version\":%d,\"preprocessedProfileVersion\":%d,\n", GECKO_VERSION, VERSION);
	fputs("\"processType\":0,\"stackwalk\":1,\"debug\":false,\"product\":", out);
	json_string(out, m->symbols->program);
	fputs(",\"importedFrom\":\"profsup\",\"appBuildID\":", out);
	json_string(out, m->symbols->build_id);
	fprintf(out, ",\"platform\":\"Linux\",\"oscpu\":\"Linux %s\",",
	        m->symbols->machine == EM_X86_64 ? "x86_64" : "aarch64");
	fputs("\"symbolicated\":true,\"symbolicationNotSupported\":true,"
	      "\"usesOnlyOneStackType\":true,\"sourceCodeIsNotOnSearchfox\":true,"
	      "\"keepProfileThreadOrder\":true,\n\"initialSelectedThreads\":[0],"
	      "\"initialVisibleThreads\":[",
	      out);
	for (size_t i = 0; i < all->n; i++)
		fprintf(out, "%s%zu", i > 0 ? "," : "", i);
	fprintf(out, "],\n%s%s", categories, marker_schema);
	fputs(
	    "\"extensions\":{\"id\":[],\"name\":[],\"baseURL\":[],\"length\":0}},\n\"libs\":[],\n",
	    out);
}

void
firefox_write(const struct model *m, FILE *out)
{
	struct firefox_tables tables;
	struct firefox_threads threads;

	firefox_tables_make(&tables, m);
	firefox_threads_find(&threads, &tables);
	if (threads.n == 0)
		errx(EXIT_BAD,
		     "%s: no sample has a time; firefox is made of those, which profsup "
		     "--timeline writes",
		     m->symbols->program);
	if (threads.no_time > 0)
		note("firefox: no room for what has no time: %.3f of %.3f s",
		     (double)threads.no_time / 1e9, model_seconds(m, m->ticks));
	if (!m->stacks->waits)
		note("firefox: threads are not seen where they wait, without profsup --wall");
	put_meta(&threads, m, out);
	firefox_threads_put(&threads, &tables, out);
	firefox_shared_put(&tables, out);
	fputs("}\n", out);
	firefox_threads_free(&threads);
	firefox_tables_free(&tables);
}
