/*
 * What gprof itself reads out of counts that its format has no room for: bins above 65,535 and arcs
 * above 2^32 - 1, in a file as gmon_encode() writes it, about functions of this program.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"
#include "tap.h"

extern char __executable_start, etext;
static volatile int sink;

/* Three functions to be talked about, each longer than a bin. */
#define FUNCTION(name)                                                                             \
	void name(void);                                                                           \
	__attribute__((noinline)) void name(void)                                                  \
	{                                                                                          \
		for (int i = 0; i < 10; i++)                                                       \
			sink += i * (sink + 1);                                                    \
	}
FUNCTION(overflow_caller)
FUNCTION(overflow_busy)
FUNCTION(overflow_quiet)

static char dir[] = "/tmp/profsup-overflow.XXXXXX", file[64];

static uint64_t
address(void (*function)(void))
{
	return (uint64_t)(uintptr_t)function;
}

/* Bias: this program may be position-independent, linked at 0. */
static uint64_t
bias(void)
{
	char line[64] = "", command[128];
	FILE *f;

	snprintf(command, sizeof(command), "nm /proc/%d/exe | grep ' __executable_start$'",
	         getpid());
	f = popen(command, "r");
	if (f == NULL || fgets(line, sizeof(line), f) == NULL || pclose(f) != 0)
		bail("nm can't read this program");
	return (uint64_t)(uintptr_t)&__executable_start - strtoull(line, NULL, 16);
}

static void
bump(struct counts *p, void (*function)(void), uint64_t ticks)
{
	uint64_t index;

	if (!hist_index(&p->hist, address(function) + 8, &index) ||
	    hist_add(&p->hist, index, ticks) == 0)
		bail("a function has no bin");
}

static struct arc_count
arc(void (*from)(void), void (*self)(void), uint64_t count)
{
	return (struct arc_count){
		(uint64_t)(uint32_t)(address(from) + 8) << 32 | (uint32_t)(address(self) + 4), count
	};
}

static void
write_file(const struct counts *p)
{
	struct buffer b;
	FILE *f = fopen(file, "w");

	if (f == NULL || gmon_encode(p, &(struct image_id){ 0 }, 100, &b) < 0 ||
	    fwrite(b.data, 1, b.len, f) != b.len || fclose(f) != 0)
		bail("the file can't be written");
	buffer_free(&b);
}

/* gprof's flat line of a function: seconds and calls.  False: it has none. */
static bool
flat_line(const char *function, double *seconds, unsigned long *calls)
{
	char command[256], line[256] = "", *at;
	FILE *f;

	snprintf(command, sizeof(command), "gprof -b -p -z /proc/%d/exe %s 2>&1 | grep ' %s$'",
	         getpid(), file, function);
	f = popen(command, "r");
	if (f == NULL)
		bail("popen");
	if (fgets(line, sizeof(line), f) == NULL)
		line[0] = '\0';
	pclose(f);
	at = line;
	strtod(at, &at); /* share */
	strtod(at, &at); /* cumulative seconds */
	*seconds = strtod(at, &at);
	*calls = strtoul(at, NULL, 10);
	return line[0] != '\0';
}

static void
check(const char *function, double want_seconds, unsigned long want_calls, const char *says)
{
	double seconds = -1;
	unsigned long calls = 0;

	if (!ok(flat_line(function, &seconds, &calls) && seconds > want_seconds - 0.011 &&
	            seconds < want_seconds + 0.011 && calls == want_calls,
	        "%s", says))
		diag("%s: %f seconds, %lu calls", function, seconds, calls);
}

/* gprof's complaints, if any. */
static bool
complains(void)
{
	char command[256];

	snprintf(command, sizeof(command),
	         "test -n \"$(gprof -b /proc/%d/exe %s 2>&1 >/dev/null)\"", getpid(), file);
	return system(command) == 0;
}

int
main(void)
{
	struct counts p = { .bias = bias() };
	struct arc_count arcs[] = {
		arc(overflow_caller, overflow_busy, 3UL << 32),
		arc(overflow_caller, overflow_quiet, UINT32_MAX),
	};

	if (mkdtemp(dir) == NULL)
		bail("mkdtemp");
	snprintf(file, sizeof(file), "%s/gmon.out", dir);
	p.low_pc = (uint64_t)(uintptr_t)&__executable_start;
	p.high_pc = ((uint64_t)(uintptr_t)&etext + 3) & ~3UL;
	p.hist = (struct hist){ .nbins = (p.high_pc - p.low_pc) / 4,
		                .offset = p.low_pc,
		                .scale = 32768 };
	p.arcs.arc = arcs;
	p.arcs.n = sizeof(arcs) / sizeof(arcs[0]);

	bump(&p, overflow_busy, 65535);
	bump(&p, overflow_quiet, 100);
	write_file(&p);
	check("overflow_busy", 655.35, 3UL << 32,
	      "gprof reads 65,535 ticks as 655.35 s, and 3 * 2^32 calls");
	check("overflow_quiet", 1.00, UINT32_MAX, "and 1.00 s and 2^32 - 1 calls of another");
	bump(&p, overflow_busy, 1);
	write_file(&p);
	check("overflow_busy", 655.36, 3UL << 32, "65,536 ticks are 655.36 s");
	bump(&p, overflow_busy, 134464);
	write_file(&p);
	check("overflow_busy", 2000.00, 3UL << 32, "200,000 ticks, in four records, are 2000.00 s");
	check("overflow_quiet", 1.00, UINT32_MAX, "and the other function has its 1.00 s still");
	check("overflow_caller", 0.00, 0, "which the caller of both does not");
	ok(!complains(), "gprof has nothing to complain of");
	bump(&p, overflow_quiet, 99999900);
	write_file(&p);
	check("overflow_quiet", 1000000.00, UINT32_MAX, "100 million ticks are a million seconds");
	hist_clear(&p.hist);
	unlink(file);
	rmdir(dir);
	return done_testing();
}
