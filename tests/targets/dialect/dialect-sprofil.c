/*
 * dialect-sprofil: sprofil(3) as glibc and AIX have it.
 */
// CFLAGS: -D_GNU_SOURCE -lm -pthread
#include <sys/profil.h>

#include "dialect.h"

enum { MOST = 4096 };
static uint16_t bins[MOST], more[MOST];
static uint32_t wide[MOST];
static unsigned rest, pair[2];

static struct prof
range(void *base, size_t size, uintptr_t offset, unsigned long scale)
{
	return (
	    struct prof){ .pr_base = base, .pr_size = size, .pr_off = offset, .pr_scale = scale };
}

static void
fresh(void)
{
	sprofil(NULL, 0, NULL, 0);
	memset(bins, 0, sizeof(bins));
	memset(more, 0, sizeof(more));
	memset(wide, 0, sizeof(wide));
	rest = pair[0] = pair[1] = 0;
}

/* The bytes of text of one function. */
static struct prof
function(void *base, size_t size, void (*f)(unsigned long), unsigned long scale)
{
	return range(base, size, (uintptr_t)f, scale);
}

static void
two_functions(void)
{
	/* Each function is within 64 bytes of its start: see their alignment. */
	struct prof p[3] = { function(bins, 64, burn_steps, 65536),
		             function(more, 64, burn_more_steps, 65536),
		             range(&rest, sizeof(rest), 0, 2) };
	struct timeval tick = { -1, -1 };
	double cpu, other;

	fresh();
	point(sprofil(p, 3, &tick, PROF_USHORT) == 0, "it returns 0");
	point(tick.tv_sec == 0 && tick.tv_usec == (long)(1e6 / hz),
	      "and tells the time between two ticks");
	cpu = burn(0.3);
	other = burn_more(0.1);
	sprofil(NULL, 0, NULL, 0);
	about(sum16(bins, 32), cpu, hz, "each range has its own bins");
	about(sum16(more, 32), other, hz, "as many ticks as its code took");
	point(sum16(bins, MOST) == sum16(bins, 32) && sum16(more, MOST) == sum16(more, 32),
	      "and nothing is counted behind a buffer");
	cpu = sum16(bins, MOST);
	burn(0.1);
	point(sum16(bins, MOST) == cpu, "no ranges turn it off");
}

static void
wide_bins(void)
{
	struct prof p[2] = { range(wide, sizeof(wide), LOW, 65536),
		             range(&rest, sizeof(rest), 0, 2) };
	double cpu;

	fresh();
	wide[0] = 7;
	for (int i = 0; i < MOST; i++)
		wide[i] = 65530;
	sprofil(p, 2, NULL, PROF_UINT);
	cpu = burn(0.3);
	sprofil(NULL, 0, NULL, PROF_UINT);
	about(sum32(wide, MOST) - 65530.0 * MOST, cpu, hz,
	      "with PROF_UINT bins have 32 bits and go past 65,535");
	fresh();
	p[0] = range(wide, sizeof(wide), LOW, 65536);
	sprofil(p, 1, NULL, PROF_UINT | PROF_FAST);
	cpu = burn(0.1);
	sprofil(NULL, 0, NULL, 0);
	about(sum32(wide, (HIGH - LOW) / 4 + 1), cpu, hz,
	      "and at 65536 stand for 4 bytes of text each; PROF_FAST changes nothing");
	fresh();
	bins[0] = 65500;
	p[0] = range(bins, sizeof(bins), LOW, 2);
	sprofil(p, 1, NULL, PROF_USHORT);
	cpu = burn(0.2);
	sprofil(NULL, 0, NULL, 0);
	about(bins[0] + 36.0, cpu, hz, "those of 16 bits wrap around");
}

static void
overflow(void)
{
	struct prof p[3] = { range(bins, 64, (uintptr_t)burn_steps, 65536),
		             range(pair, sizeof(pair), 0, 2) };
	double cpu;

	fresh();
	sprofil(p, 2, NULL, PROF_UINT);
	cpu = burn_more(0.2);
	sprofil(NULL, 0, NULL, 0);
	about(pair[0], cpu, hz,
	      "what no range has is counted by the range with offset 0 and scale 2");
	point(pair[1] == 0, "in its first bin");
	fresh();
	sprofil(p, 1, NULL, PROF_USHORT);
	burn_more(0.1);
	sprofil(NULL, 0, NULL, 0);
	point(sum16(bins, MOST) <= 20 && pair[0] == 0, "without one it is not counted");
	fresh();
	p[0] = range(bins, sizeof(bins), LOW, 1);
	p[1] = range(more, sizeof(more), LOW, 65536);
	sprofil(p, 2, NULL, PROF_USHORT);
	cpu = burn(0.1);
	sprofil(NULL, 0, NULL, 0);
	about(sum16(more, MOST), cpu, hz, "a scale below 2 is no range: the next one counts");
	fresh();
	p[0] = range(bins, sizeof(bins), LOW, 65536);
	sprofil(p, 2, NULL, PROF_USHORT);
	cpu = burn(0.1);
	sprofil(NULL, 0, NULL, 0);
	about(sum16(bins, MOST), cpu, hz, "of two for the same text it is the first");
}

CHILD_OF_FORK(sum16(bins, MOST), 0.2, "it goes on in the child of a fork")

static void
errors(void)
{
	struct prof p = range(bins, sizeof(bins), LOW, 65536);
	static struct prof many[1025];
	double cpu;

	fresh();
	sprofil(&p, 1, NULL, 0);
	point(in_child(child_of_fork) == 0, "which comes to its end");
	errno = 0;
	point(sprofil(many, 1025, NULL, 0) == -1 && errno == ENOMEM,
	      "above 1024 ranges are ENOMEM");
	memset(bins, 0, sizeof(bins));
	cpu = burn(0.1);
	about(sum16(bins, MOST), cpu, hz, "which leaves the profile on");
	errno = 0;
	point(sprofil((struct prof *)8, 1, NULL, 0) == -1 && errno == EFAULT,
	      "ranges that can't be read are EFAULT");
	fresh();
	for (int i = 0; i < 1023; i++)
		many[i] = range(more, 2, 0x10, 65536);
	many[1023] = p;
	point(sprofil(many, 1024, NULL, 0) == 0, "there may be 1024");
	cpu = burn(0.1);
	sprofil(NULL, 0, NULL, 0);
	about(sum16(bins, MOST), cpu, hz, "of which the last one counts as well");
	sprofil(&p, -1, NULL, 0);
	point(1, "a number below 0 is none");
}

int
main(void)
{
	two_functions();
	wide_bins();
	overflow();
	errors();
	return failures != 0;
}
