/* The lines and the JSON text in which a run's numbers are told. */
#include "profsup.h"
#include "tap.h"

#include <string.h>

static void
is_str(const char *got, const char *want, const char *what)
{
	if (!ok(strcmp(got, want) == 0, "%s", what))
		diag("got %s", got);
}

int
main(void)
{
	struct summary s = { .sampler = "ptrace", .hz = 100, .period = NSEC / 100 };
	char line[1024], json[2048];

	s.stats.profiled = s.stats.files = s.stats.samples = 1;
	s.stats.ticks = 200;
	s.own_cpu = 20000000;
	summary_seen(&s, line, sizeof(line));
	is_str(line, "1 process, 1 file; 2.000 s of CPU time at 100 Hz, 1 sample (ptrace)",
	       "one of each, and nothing that is none");
	summary_cost(&s, line, sizeof(line));
	is_str(line, "own CPU time 0.020 s (1.0 %)", "without stops nothing is said of stops");

	s.stats.profiled = 3;
	s.stats.files = 2;
	s.stats.samples = 150;
	s.stats.late = 50;
	s.stats.lost = 7;
	s.stats.outside = 8;
	s.stats.unattributed = 9;
	s.stats.stolen = 11;
	s.stats.dropped = 10;
	s.stats.stops = 151;
	s.stats.stopped = 1000000;
	s.stats.longest_stop = 70000;
	summary_seen(&s, line, sizeof(line));
	is_str(line,
	       "3 processes, 2 files; 2.000 s of CPU time at 100 Hz, 150 samples (ptrace), 50 late,"
	       " 7 lost, 8 outside of the text, 9 of nobody, 11 of stolen time,"
	       " 10 calls dropped",
	       "all that can be wrong");
	summary_cost(&s, line, sizeof(line));
	is_str(line,
	       "own CPU time 0.020 s (1.0 %); 151 stops, 0.001 s (0.1 %), the longest 0.070 ms",
	       "the stops");
	s.stats.ticks = 0;
	summary_cost(&s, line, sizeof(line));
	ok(strstr(line, "(0.0 %)") != NULL && strstr(line, "nan") == NULL,
	   "no CPU time is nothing to divide by");
	memset(&s.stats, 0xff, sizeof(s.stats));
	s.period = s.own_cpu = UINT64_MAX;
	ok(summary_json(&s, json, sizeof(json)) == (int)strlen(json), "the largest numbers fit");
	is_int(summary_json(&s, json, 100), -1, "a text that is too small is told of");
	return done_testing();
}
