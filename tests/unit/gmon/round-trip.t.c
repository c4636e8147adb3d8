/*
 * Any profile that gmon_encode() writes is read back by gprof(1) with the same sums: random bins,
 * scales, offsets, rates, load addresses, arcs, and counts that take several records.  And gprof
 * has nothing to complain of.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon/gmon.h"
#include "tap.h"

#include <inttypes.h>
#include <sys/random.h>

/* The program: functions of one size, one behind the other.  A bin is narrower than half of one. */
enum { FUNCTIONS = 48, SIZE = 4096, TEXT = 0x10000000, ROUNDS = 40 };
enum { COLUMNS = 7 };

struct sums {
	uint64_t ticks[FUNCTIONS];
	uint64_t calls[FUNCTIONS];
};

static unsigned seed;
static uint32_t hz;

static uint64_t
number_below(uint64_t n)
{
	return ((uint64_t)random() << 31 | (uint64_t)random()) % n;
}

/* Small ones, and now and then one of up to `bits` bits, or one that just fills its records. */
static uint64_t
some_count(int bits)
{
	static const uint64_t full[] = { 65535, 65536, 200000, 100000000, UINT32_MAX, 3UL << 32 };
	const uint64_t some = full[number_below(sizeof(full) / sizeof(full[0]))];

	if (random() % 16 == 0 && some >> bits == 0)
		return some;
	return 1 + number_below(random() % 8 == 0 ? 1UL << number_below((uint64_t)bits + 1) : 100);
}

static void
build_program(void)
{
	FILE *f = fopen("program.s", "we");

	if (f == NULL)
		bail("program.s");
	fprintf(f, ".text\n.globl _start\n_start:\n");
	for (int i = 0; i < FUNCTIONS; i++)
		fprintf(f, ".globl f%d\n.type f%d, %%function\nf%d: .skip %d\n.size f%d, .-f%d\n",
		        i, i, i, SIZE, i, i);
	fclose(f);
	if (system("cc -nostdlib -static -no-pie -Wl,-Ttext=0x10000000,--build-id=none"
	           " -o program program.s") != 0)
		bail("the program can't be built");
}

/* An address well inside of a function, as loaded. */
static uint64_t
middle_of(const struct counts *p, uint64_t function)
{
	return p->bias + TEXT + function * SIZE + SIZE / 4 + number_below(SIZE / 2);
}

/* A histogram may begin before the text or in it; samples outside are none. */
static void
fill_bins(struct counts *p, struct sums *sums)
{
	const uint64_t first = number_below(FUNCTIONS / 4);
	uint64_t index;
	int bits;

	p->hist.offset = p->low_pc + first * SIZE - (first == 0 ? number_below(64) * 2 : 0);
	p->hist.scale = (uint32_t)(PROFSUP_SCALE_ONE >> number_below(8));
	if (random() % 2 == 0)
		p->hist.scale -= (uint32_t)number_below(p->hist.scale / 4);
	p->hist.nbins = 1 + ((p->high_pc - p->hist.offset) / 2 * p->hist.scale >> 16);
	bits = p->hist.nbins < 1024 ? 27 : 20; /* a file of some megabytes */
	for (uint64_t n = number_below(200); n > 0; n--) {
		const uint64_t function = number_below(FUNCTIONS), ticks = some_count(bits);

		if (!hist_index(&p->hist, middle_of(p, function), &index))
			continue;
		hist_add(&p->hist, index, ticks);
		sums->ticks[function] += ticks;
	}
}

static void
fill_arcs(struct counts *p, struct sums *sums)
{
	const uint64_t n = number_below(300);

	p->arcs.arc = calloc(n + 1, sizeof(*p->arcs.arc));
	while (p->arcs.n < n) {
		const uint64_t to = number_below(FUNCTIONS), count = some_count(40);
		const uint64_t from = (to + 1 + number_below(FUNCTIONS - 1)) % FUNCTIONS;
		const uint64_t key =
		    (middle_of(p, from) & UINT32_MAX) << 32 | (middle_of(p, to) & UINT32_MAX);

		p->arcs.arc[p->arcs.n++] = (struct arc_count){ key, count };
		sums->calls[to] += count;
	}
	arcs_merge(&p->arcs);
}

static bool
write_file(const struct counts *p)
{
	struct image_id image = { .build_id_len = 20 };
	struct buffer data;
	FILE *f = fopen("gmon.out", "we");
	bool good;

	/* gprof passes over the build id, whatever it is. */
	for (size_t i = 0; i < image.build_id_len; i++)
		image.build_id[i] = (uint8_t)random();
	if (f == NULL || gmon_encode(p, &image, hz, &data) < 0)
		bail("gmon.out");
	good = fwrite(data.data, 1, data.len, f) == data.len;
	buffer_free(&data);
	return fclose(f) == 0 && good;
}

/* A line of gprof's flat profile: "% cumulative self calls self total name"; one that was never
 * called has three columns less. */
static void
take_line(char *line, struct sums *sums)
{
	char *word[COLUMNS + 1], *rest = line;
	int n = 0;

	while (n <= COLUMNS && (word[n] = strtok_r(n == 0 ? line : NULL, " \n", &rest)) != NULL)
		n++;
	if (n != COLUMNS && n != COLUMNS - 3)
		return;
	if (word[n - 1][0] == 'f') {
		const unsigned long i = strtoul(word[n - 1] + 1, NULL, 10);

		if (i >= FUNCTIONS)
			return;
		sums->ticks[i] = (uint64_t)(strtod(word[2], NULL) * hz + 0.5);
		sums->calls[i] = n == COLUMNS ? strtoull(word[3], NULL, 10) : 0;
	}
}

static struct sums
read_back(void)
{
	struct sums sums = { { 0 }, { 0 } };
	char line[256];
	FILE *f = popen("gprof -b -p -z program gmon.out 2>errors", "re");

	if (f == NULL)
		bail("gprof");
	while (fgets(line, sizeof(line), f) != NULL)
		take_line(line, &sums);
	pclose(f);
	return sums;
}

/* Bins that are no whole number of gprof's units (2 bytes) wide, it takes for one unit more or
 * less: what it says is off by one part in `units` then. */
static bool
same(const uint64_t got[FUNCTIONS], const uint64_t want[FUNCTIONS], uint64_t units,
     const char *what)
{
	bool all = true;

	for (int i = 0; i < FUNCTIONS; i++) {
		const uint64_t less = got[i] < want[i] ? want[i] - got[i] : got[i] - want[i];

		if (less <= (units == 0 ? 0 : want[i] / units + 1))
			continue;
		diag("seed %u: f%d: %s: got %" PRIu64 ", want %" PRIu64, seed, i, what, got[i],
		     want[i]);
		all = false;
	}
	return all;
}

/* A text that is loaded across a multiple of 4 GiB, too. */
static bool
round_trip(unsigned number)
{
	struct sums want = { { 0 }, { 0 } }, got;
	struct counts p = { 0 };
	uint64_t units;
	bool good;

	seed = number;
	srandom(seed);
	hz = random() % 2 == 0 ? 1 : 100;
	p.bias = number_below(4) == 0 ? 0 : number_below(1UL << 34) << 12;
	if (number_below(4) == 0)
		p.bias = (7UL << 32) - TEXT - number_below(FUNCTIONS) * SIZE;
	p.low_pc = p.bias + TEXT;
	p.high_pc = p.low_pc + (uint64_t)FUNCTIONS * SIZE;
	fill_bins(&p, &want);
	fill_arcs(&p, &want);
	good = write_file(&p);
	got = read_back();
	good &= system("! grep '' errors >&2") == 0;
	units = PROFSUP_SCALE_ONE % p.hist.scale == 0 ? 0 : PROFSUP_SCALE_ONE / p.hist.scale;
	good &= same(got.ticks, want.ticks, units, "ticks");
	good &= same(got.calls, want.calls, 0, "calls");
	hist_clear(&p.hist);
	arcs_clear(&p.arcs);
	return good;
}

int
main(void)
{
	char dir[] = "/tmp/profsup-round-trip.XXXXXX";
	unsigned extra = 0;
	int good = 0;

	if (mkdtemp(dir) == NULL || chdir(dir) < 0)
		bail(dir);
	build_program();
	for (unsigned i = 1; i <= ROUNDS; i++)
		good += round_trip(i);
	is_int(good, ROUNDS, "gprof reads the same sums out of %d profiles", ROUNDS);
	if (getrandom(&extra, sizeof(extra), 0) != sizeof(extra))
		bail("getrandom");
	ok(round_trip(extra), "and out of one that nobody has seen before");
	for (const char *const name[] = { "program.s", "program", "gmon.out", "errors" },
	                       *const *n = name;
	     n < name + 4; n++)
		unlink(*n);
	rmdir(dir);
	return done_testing();
}
