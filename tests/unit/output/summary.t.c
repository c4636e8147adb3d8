/* The lines and the JSON text in which a run's numbers are told. */
#include "output/output.h"
#include "tap.h"

static void
hint_is(const struct written *w, const char *want, const char *what)
{
	char text[4 * WRITTEN_MOST];

	written_hint(w, "/here", text, sizeof(text));
	is_str(text, want, "%s", what);
}

static void
hints(void)
{
	struct written w = { 0 }, other = { 0 }, odd = { 0 }, root = { 0 };

	hint_is(&w, "", "nothing to look at");
	written_add(&w, "/here", "gmon.x.17.out", "x", "", 5);
	hint_is(&w, "to look at it: profsup-report gmon.x.17.out",
	        "a file here has its name alone");
	written_add(&w, "/here", "gmon.x.117.out", "x", "", 5);
	hint_is(&w, "to look at them: profsup-report gmon.x.*.out", "several files have a pattern");
	written_add(&w, "/here", "gmon.x.18.snap1.out", "x", "", 5);
	hint_is(&w, "to look at them: profsup-report gmon.x.*.out", "that fits all of them");
	w.parts = true;
	hint_is(&w, "to look at them: profsup-report --intervals gmon.x.*.out",
	        "parts are to be added up");
	written_add(&w, "/here", "gmon.y.19.out", "y", "", 5);
	hint_is(&w, "to look at one: profsup-report gmon.x.17.out",
	        "files of two programs are not added up");
	written_add(&w, "/here", "gmon.y.20.out", "y", "", 6);
	hint_is(&w, "to look at one: profsup-report gmon.y.20.out",
	        "the one with the most ticks is named");
	written_add(&w, "/here", "gmon.x.21.out", "x", "", 6);
	hint_is(&w, "to look at one: profsup-report gmon.y.20.out", "the first of equals");
	written_ticks(&w, "/here", "gmon.x.17.out", "x", "", 7);
	hint_is(&w, "to look at one: profsup-report gmon.x.17.out", "also if it has them later");
	written_add(&other, "/there", "a", "x", "", 5);
	hint_is(&other, "to look at it: profsup-report /there/a", "a file elsewhere has its path");
	written_add(&other, "/else", "b", "x", "", 5);
	hint_is(&other, "to look at one: profsup-report /there/a",
	        "of two directories one file is named");
	written_add(&root, "/", "a", "x", "", 5);
	hint_is(&root, "to look at it: profsup-report /a", "the root's slash is not doubled");
	written_add(&odd, "/a b", "x", "x", "", 5);
	hint_is(&odd, "", "what needs quotes is not said");
}

/* Of a program at `path`, whose file is in /out; `named`: what is said before the file. */
static void
program_is(const char *path, const char *named, const char *what)
{
	struct written w = { 0 };
	char want[128];

	written_add(&w, "/out", "gmon.x.17.out", "x", path, 5);
	snprintf(want, sizeof(want), "to look at it: profsup-report %s/out/gmon.x.17.out", named);
	hint_is(&w, want, what);
}

static void
programs(void)
{
	program_is("/usr/bin/x", "/usr/bin/x ", "a program is named by its path");
	program_is("/here/jail/x", "jail/x ", "which begins here");
	program_is("/here/x", "x ", "a name alone is one of this directory");
	program_is("/hereafter/x", "/hereafter/x ", "a directory's name ends at a slash");
	program_is("/b d/x", "", "one that needs quotes is not named");
	program_is("/here/-x", "", "nor one that would be an option");
	program_is("/a/x (deleted)", "", "nor one that is gone");
}

static void
files(void)
{
	struct written none = { 0 }, root = { 0 }, elsewhere = { 0 }, unknown = { 0 };
	char text[2 * WRITTEN_MOST + 32], longest[WRITTEN_MOST];

	written_say(&none, text, sizeof(text));
	is_str(text, "0 files", "no file has no place");
	written_add(&root, "/", "gmon.out", "prog", "", 5);
	written_say(&root, text, sizeof(text));
	is_str(text, "1 file: /gmon.out", "the root's slash is not doubled");
	written_add(&elsewhere, "/a", "x", "prog", "", 5);
	written_add(&elsewhere, "/b", "y", "prog", "", 5);
	written_add(&elsewhere, "/a", "z", "prog", "", 5);
	written_say(&elsewhere, text, sizeof(text));
	is_str(text, "3 files", "of several directories none is named");
	written_add(&unknown, "", "x\033", "prog", "", 5);
	written_say(&unknown, text, sizeof(text));
	is_str(text, "1 file: x?, in a directory of its program's",
	       "of one that is not known the name, fit to be shown");
	hint_is(&unknown, "", "which nobody could look at by that name");
	written_add(&unknown, "", "y", "prog", "", 5);
	written_say(&unknown, text, sizeof(text));
	is_str(text, "2 files", "and of several the number");
	memset(longest, 'n', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	none.files = 0;
	written_add(&none, longest, longest, "prog", "", 5);
	written_say(&none, text, sizeof(text));
	is_int((int64_t)strlen(text), 8 + 2 * (WRITTEN_MOST - 1) + 1, "the longest names fit");
}

int
main(void)
{
	struct written w = { 0 };
	struct summary s = { .written = &w, .sampler = "ptrace", .hz = 100, .period = NSEC / 100 };
	char line[1024], json[4096];

	s.stats.profiled = s.stats.samples = 1;
	written_add(&w, "/dir", "gmon.prog.1.out", "prog", "", 5);
	s.stats.ticks = 200;
	s.own_cpu = 20000000;
	summary_seen(&s, line, sizeof(line));
	is_str(line,
	       "1 process, 1 file: /dir/gmon.prog.1.out; 2.000 s of CPU time at 100 Hz, 1 sample "
	       "(ptrace)",
	       "one of each, and nothing that is none");
	summary_cost(&s, line, sizeof(line));
	is_str(line, "own CPU time 0.020 s (1.0 %)", "without stops nothing is said of stops");

	s.stats.profiled = 3;
	written_add(&w, "/dir", "gmon.prog.2.out", "prog", "", 5);
	s.stats.samples = 150;
	s.stats.late = 50;
	s.stats.perf.lost = 7;
	s.stats.outside = 20;
	s.stats.libraries = 12;
	s.stats.unattributed = 9;
	s.stats.stolen = 11;
	s.stats.dropped = 10;
	s.stats.dropped_profiles = 2;
	s.stats.dropped_ticks = 150;
	s.stats.stops = 151;
	s.stats.stopped = 1000000;
	s.stats.longest_stop = 70000;
	summary_seen(&s, line, sizeof(line));
	is_str(line,
	       "3 processes, 2 files in /dir; 2.000 s of CPU time at 100 Hz, 150 samples (ptrace),"
	       " 50 late,"
	       " 7 lost, 12 in libraries, 8 outside of the text, 9 unattributed, 11 stolen by the "
	       "hypervisor,"
	       " 10 calls dropped, 2 profiles with 1.500 s dropped at an exec",
	       "all that can be wrong");
	summary_cost(&s, line, sizeof(line));
	is_str(line,
	       "own CPU time 0.020 s (1.0 %); 151 stops, 0.001 s (0.1 %), the longest 0.070 ms",
	       "the stops");
	s.stats.ticks = 0;
	summary_cost(&s, line, sizeof(line));
	ok(strstr(line, "(0.0 %)") != NULL && strstr(line, "nan") == NULL,
	   "no CPU time is nothing to divide by");
	summary_wall(&s, line, sizeof(line));
	is_str(line, "", "nothing is said of time that was not asked for");
	s.stats.wall = (struct wall_stats){ .time = 10 * NSEC,
		                            .cpu = 2 * NSEC,
		                            .runnable = NSEC,
		                            .blocked = 7 * NSEC,
		                            .shared = NSEC,
		                            .unseen = NSEC / 2 };
	summary_wall(&s, line, sizeof(line));
	is_str(line,
	       "all threads: 10.000 s = 2.000 s of CPU time + 1.000 s waiting for a CPU + 7.000 s "
	       "blocked (7.1 % shared out, 7.1 % not seen)",
	       "all time");
	memset(&s.stats, 0xff, sizeof(s.stats));
	s.period = s.own_cpu = UINT64_MAX;
	ok(summary_json(&s, json, sizeof(json)) == (int)strlen(json), "the largest numbers fit");
	is_int(summary_json(&s, json, 100), -1, "a text that is too small is told of");
	hints();
	programs();
	files();
	return done_testing();
}
