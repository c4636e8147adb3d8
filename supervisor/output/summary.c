/*
 * What a run has cost and what it has seen: two lines at the end, and the same as JSON for
 * programs.  All but the last two functions are pure.
 *
 * SPDX-License-Identifier: ISC
 */
#include "output/output.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* `part` in percent of `whole`. */
static double
percent(uint64_t part, uint64_t whole)
{
	return whole == 0 ? 0 : 100.0 * (double)part / (double)whole;
}

static double
seconds(uint64_t ns)
{
	return (double)ns / (double)NSEC;
}

/* Appends ", N word" if N is not 0. */
static void
add_count(char *line, size_t size, uint64_t n, const char *word)
{
	const size_t len = strlen(line);

	if (n != 0)
		snprintf(line + len, size - len, ", %llu %s", (unsigned long long)n, word);
}

/* Makes the line about what was seen. */
void
summary_seen(const struct summary *s, char *line, size_t size)
{
	const struct stats *st = &s->stats;
	char files[2 * WRITTEN_MOST + 32], dropped[64];

	written_say(s->written, files, sizeof(files));
	snprintf(line, size, "%llu process%s, %s; %.3f s of CPU time at %u Hz, %llu sample%s (%s)",
	         (unsigned long long)st->profiled, st->profiled == 1 ? "" : "es", files,
	         seconds(st->ticks * s->period), s->hz, (unsigned long long)st->samples,
	         st->samples == 1 ? "" : "s", s->sampler);
	add_count(line, size, st->bare,
	          st->bare == 1 ? "process has samples only" : "processes have samples only");
	add_count(line, size, st->without_calls,
	          st->without_calls == 1 ? "process lacks calls" : "processes lack calls");
	add_count(line, size, st->unread,
	          st->unread == 1 ? "process is missing" : "processes are missing");
	add_count(line, size, st->late, "late");
	add_count(line, size, st->unseen, "not seen");
	add_count(line, size, st->perf.lost, "lost");
	add_count(line, size, st->libraries, "in libraries");
	add_count(line, size, st->outside - st->libraries, "outside of the text");
	add_count(line, size, st->cut_stacks, "with a cut stack");
	add_count(line, size, st->guessed, "with a guessed frame");
	add_count(line, size, st->homeless, "without room for their stack");
	add_count(line, size, st->unattributed, "unattributed");
	add_count(line, size, st->stolen, "stolen by the hypervisor");
	add_count(line, size, st->dropped, st->dropped == 1 ? "call dropped" : "calls dropped");
	snprintf(dropped, sizeof(dropped), "profile%s with %.3f s dropped at an exec",
	         st->dropped_profiles == 1 ? "" : "s", seconds(st->dropped_ticks * s->period));
	add_count(line, size, st->dropped_profiles, dropped);
	add_count(line, size, st->cut,
	          st->cut == 1 ? "system call cut short" : "system calls cut short");
}

/* Makes the line about what the run has cost. */
void
summary_cost(const struct summary *s, char *line, size_t size)
{
	const struct stats *st = &s->stats;
	const uint64_t cpu = st->ticks * s->period;
	int n = snprintf(line, size, "own CPU time %.3f s (%.1f %%)", seconds(s->own_cpu),
	                 percent(s->own_cpu, cpu));

	if (st->stops == 0 || n < 0 || (size_t)n >= size)
		return;
	snprintf(line + n, size - (size_t)n, "; %llu stop%s, %.3f s (%.1f %%), the longest %.3f ms",
	         (unsigned long long)st->stops, st->stops == 1 ? "" : "s", seconds(st->stopped),
	         percent(st->stopped, cpu), seconds(st->longest_stop) * 1000);
}

/* Makes the line about all time; "": it was not asked for. */
void
summary_wall(const struct summary *s, char *line, size_t size)
{
	const struct wall_stats *w = &s->stats.wall;

	*line = '\0';
	if (w->time == 0)
		return;
	snprintf(line, size,
	         "all threads: %.3f s = %.3f s of CPU time + %.3f s waiting for a CPU + %.3f s "
	         "blocked (%.1f %% shared out, %.1f %% not seen)",
	         seconds(w->time), seconds(w->cpu), seconds(w->runnable), seconds(w->blocked),
	         percent(w->shared - w->unseen, w->blocked), percent(w->unseen, w->blocked));
}

int
summary_json(const struct summary *s, char *text, size_t size)
{
	const struct stats *st = &s->stats;
	const uint64_t cpu = st->ticks * s->period;
	const struct {
		const char *name;
		uint64_t value;
	} number[] = {
		{ "hz", s->hz },
		{ "processes", st->profiled },
		{ "samples_only_processes", st->bare },
		{ "processes_without_calls", st->without_calls },
		{ "unread_processes", st->unread },
		{ "files", s->written->files },
		{ "cpu_ns", cpu },
		{ "ticks", st->ticks },
		{ "samples", st->samples },
		{ "late_ticks", st->late },
		{ "unseen_ticks", st->unseen },
		{ "unfound_ticks", st->unfound },
		{ "watched_ns", st->watched },
		{ "gaps_ns", st->gaps },
		{ "lost_samples", st->perf.lost },
		{ "throttled", st->perf.throttled },
		{ "outside_ticks", st->outside },
		{ "library_ticks", st->libraries },
		{ "cut_stack_ticks", st->cut_stacks },
		{ "guessed_stack_ticks", st->guessed },
		{ "homeless_stack_ticks", st->homeless },
		{ "unattributed_samples", st->unattributed },
		{ "stolen_samples", st->stolen },
		{ "dropped_calls", st->dropped },
		{ "dropped_profiles", st->dropped_profiles },
		{ "dropped_ticks", st->dropped_ticks },
		{ "carried_on_calls", st->carried_on },
		{ "cut_calls", st->cut },
		{ "stops", st->stops },
		{ "stopped_ns", st->stopped },
		{ "longest_stop_ns", st->longest_stop },
		{ "wall_ns", st->wall.time },
		{ "wall_cpu_ns", st->wall.cpu },
		{ "runnable_ns", st->wall.runnable },
		{ "blocked_ns", st->wall.blocked },
		{ "blocked_shared_ns", st->wall.shared },
		{ "blocked_unseen_ns", st->wall.unseen },
		{ "own_cpu_ns", s->own_cpu },
		{ "mappings_cpu_ns", s->mappings },
	};
	size_t len = 0;

	len += (size_t)snprintf(text, size, "{\n\t\"profsup\": \"%s\",\n\t\"sampler\": \"%s\",\n",
	                        PROFSUP_VERSION, s->sampler);
	for (size_t i = 0; i < sizeof(number) / sizeof(number[0]) && len < size; i++)
		len += (size_t)snprintf(text + len, size - len, "\t\"%s\": %llu,\n", number[i].name,
		                        (unsigned long long)number[i].value);
	if (len < size)
		len += (size_t)snprintf(
		    text + len, size - len,
		    "\t\"stopped_percent\": %.3f,\n\t\"own_cpu_percent\": %.3f\n}\n",
		    percent(st->stopped, cpu), percent(s->own_cpu, cpu));
	return len < size ? (int)len : -1;
}

struct summary
summary_of(const struct profsup *ps, const char *sampler)
{
	return (struct summary){ ps->stats,   &ps->written, sampler,
		                 ps->opt.hz,  ps->period,   clock_ns(CLOCK_PROCESS_CPUTIME_ID),
		                 mapped_cpu() };
}

static void
print_hint(const struct profsup *ps, const struct summary *s)
{
	char path[PATH_MAX], text[4 * WRITTEN_MOST];
	const char *here = getcwd(path, sizeof(path));

	written_hint(s->written, here, text, sizeof(text));
	if (*text == '\0')
		return;
	log_notice("%s", text);
	if (!ps->opt.wall || s->written->stacks == 0)
		return;
	written_words(s->written, here, text, sizeof(text));
	log_notice("where threads waited: profsup-report --type=blocked %s", text);
}

/* Prints. */
void
summary_print(const struct profsup *ps, const struct summary *s)
{
	char text[4096];
	int len = summary_json(s, text, sizeof(text));

	if (ps->stats_fd >= 0 &&
	    (len < 0 || write(ps->stats_fd, text, (size_t)len) != len ||
	     (ps->stats_writer != NULL && outlet_end(ps->stats_writer, ps->stats_fd) < 0)))
		log_error("--stats=%s: %m", ps->opt.stats);
	if (ps->stats.profiled == 0)
		return;
	summary_seen(s, text, sizeof(text));
	log_notice("%s", text);
	summary_wall(s, text, sizeof(text));
	if (*text != '\0')
		log_notice("%s", text);
	summary_cost(s, text, sizeof(text));
	log_notice("%s", text);
	print_hint(ps, s);
}
