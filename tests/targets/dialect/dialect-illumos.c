/*
 * dialect-illumos: each sentence of illumos's profil(2).
 */
// CFLAGS: -D_GNU_SOURCE -DPROFIL_DIALECT=illumos -lm -pthread
#include <profil.h>

#include "dialect.h"

enum { MOST = 4096 };
static uint16_t bins[MOST];

static void
fresh(void)
{
	profil(NULL, 0, 0, 0);
	memset(bins, 0, sizeof(bins));
}

static double
profiled(double seconds, size_t size, uintptr_t offset, unsigned scale)
{
	double cpu;

	fresh();
	profil(bins, size, offset, scale);
	cpu = burn(seconds);
	profil(bins, size, offset, 0);
	return cpu;
}

static size_t
bin_of(uintptr_t pc, uintptr_t offset, uint64_t scale)
{
	return (pc - offset) * scale / 65536 / 2;
}

/* The counts of one of the two, at 0x8000. */
static double
in_function(uintptr_t pc)
{
	const uintptr_t a = (uintptr_t)burn_steps, b = (uintptr_t)burn_more_steps;
	const uintptr_t end = pc < (pc == a ? b : a) ? (pc == a ? b : a) : HIGH;

	return sum16(bins + bin_of(pc, LOW, 0x8000),
	             bin_of(end, LOW, 0x8000) - bin_of(pc, LOW, 0x8000));
}

static void
counting(void)
{
	static const struct {
		unsigned scale;
		const char *what;
	} spans[] = {
		{ 0xffff, "the largest scale, 0xffff, has about 2 bytes for each counter" },
		{ 0x4000, "the default, 0x4000, has 8 bytes for each" },
		{ 0x0002, "the least, 2, has 65,536 bytes for each" },
	};
	double cpu, more;

	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		const size_t last = bin_of(HIGH, LOW, spans[i].scale) + 1;

		cpu = profiled(0.1, sizeof(bins), LOW, spans[i].scale);
		about(sum16(bins, last), cpu, hz, spans[i].what);
		point(sum16(bins, MOST) == sum16(bins, last), "and no other counter has anything");
	}
	cpu = profiled(0.1, sizeof(bins), LOW - 80, 0x8000);
	about(sum16(bins + bin_of(LOW, LOW - 80, 0x8000), BINS), cpu, hz,
	      "the offset is where the region starts");
	drawn(sum16(bins, bin_of(LOW, LOW - 80, 0x8000)) < 20,
	      "what is before the code has counters of its own");
	profiled(0.1, sizeof(bins), HIGH, 0xffff);
	drawn(sum16(bins, MOST) < 20, "what is before the offset has none");
	/* A ratio of a quarter. */
	fresh();
	{
		const size_t size = (HIGH - LOW) / 4 + 2;
		const unsigned scale = 0200000L / 4;

		profil(bins, size, LOW, scale);
		cpu = burn(0.1);
		profil(bins, size, LOW, 0);
		about(
		    sum16(bins, size / 2), cpu, hz,
		    "with RATIO * 0200000 as scale, a buffer of RATIO times the region covers it");
		point(sum16(bins + (size + 1) / 2, MOST - size) == 0,
		      "and nothing is written behind it");
	}
	fresh();
	profil(bins, sizeof(bins), LOW, 0x8000);
	cpu = burn(0.3);
	more = burn_more(0.1);
	profil(bins, sizeof(bins), LOW, 0);
	about(in_function((uintptr_t)burn_steps), cpu, hz,
	      "the counts tell what one function used");
	about(in_function((uintptr_t)burn_more_steps), more, hz, "and what another");
}

static void
full(void)
{
	double cpu;

	fresh();
	bins[0] = 32767 - 50;
	profil(bins, sizeof(bins), LOW, 2);
	burn(0.2);
	point(bins[0] == 32767, "a count goes up to 32767 and stays");
	bins[0] = 0;
	memset(bins + 1, 0, sizeof(bins) - 2);
	burn(A_WHILE);
	point(sum16(bins, MOST) == 0, "and then profiling has stopped: no more data is collected");
	profil(bins, sizeof(bins), LOW, 2);
	cpu = burn(0.1);
	profil(bins, sizeof(bins), LOW, 0);
	about(bins[0], cpu, hz, "until the next call");
}

static void
turning_off(void)
{
	for (unsigned scale = 0; scale <= 1; scale++) {
		double sum;

		fresh();
		profil(bins, sizeof(bins), LOW, 0xffff);
		burn(0.1);
		profil(bins, sizeof(bins), LOW, scale);
		sum = sum16(bins, MOST);
		burn(A_WHILE);
		enough(sum, 1, "it counts");
		point(sum16(bins, MOST) == sum, "and a scale of %u turns it off", scale);
	}
	fresh();
	profil(bins, 0, LOW, 0xffff);
	burn(A_WHILE);
	point(sum16(bins, MOST) == 0, "a size of 0 makes it ineffective");
}

static void
faults(void)
{
	char *p = pages(8192);
	double cpu;

	/* The page behind the counters is not there, and nobody comes to it. */
	fresh();
	profil((unsigned short *)p, 8192 + 4096, LOW, 0xffff);
	cpu = burn(0.1);
	about(sum16((uint16_t *)p, BINS), cpu, hz,
	      "a part of the buffer that is not updated need not be there");
	mprotect(p, 8192, PROT_READ);
	burn(0.1);
	mprotect(p, 8192, PROT_READ | PROT_WRITE);
	memset(p, 0, 8192);
	burn(A_WHILE);
	point(sum16((uint16_t *)p, MOST) == 0, "an update that would fault turns it off");
	profil(NULL, 100, LOW, 2);
	burn(0.1);
	point(1, "a buffer at no address does no harm");
}

CHILD_OF_FORK(sum16(bins, MOST), 0.2, "it stays on in the child of a fork")

static void
forking(char *self)
{
	double before;
	int status;

	fresh();
	profil(bins, sizeof(bins), LOW, 0xffff);
	point(in_child(child_of_fork) == 0, "which comes to its end");
	before = sum16(bins, MOST);
	burn(0.2);
	/* The first sample after a sleep stands for up to 50 ms, and may be one in the clock. */
	enough(sum16(bins, MOST) - before, 0.1 * hz, "and in its parent");
	if (fork() == 0) {
		execl(self, self, "executed", (char *)NULL);
		_exit(99);
	}
	wait(&status);
	point(status == 0, "any function of the exec family turns it off (%#x)", status);
	fresh();
}

/* The old counters would be where this image has its own: the same program at the same place, or
 * none of it. */
static int
executed(void)
{
	burn(A_WHILE);
	return sum16(bins, MOST) != 0;
}

static pthread_barrier_t barrier;
static double used[3], share = 0.15;

static void *
thread(void *arg)
{
	double *cpu = arg;

	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	*cpu = burn(share);
	return NULL;
}

/* Many, one after the other, for a short time each. */
static double
briefly(void)
{
	double cpu = 0;
	pthread_t id;

	for (int i = 0; i < 40; i++) {
		pthread_create(&id, NULL, thread, &used[0]);
		pthread_join(id, NULL);
		cpu += used[0];
	}
	return cpu;
}

static void
threads(void)
{
	pthread_t id[3];
	double sum, after, cpu;

	fresh();
	pthread_barrier_init(&barrier, NULL, 3);
	pthread_create(&id[0], NULL, thread, &used[0]);
	pthread_create(&id[1], NULL, thread, &used[1]);
	pthread_barrier_wait(&barrier);
	profil(bins, sizeof(bins), LOW, 0xffff);
	pthread_barrier_wait(&barrier);
	used[2] = burn(0.15);
	pthread_join(id[0], NULL);
	pthread_join(id[1], NULL);
	sum = arrived16(bins, BINS, used[0] + used[1] + used[2]);
	about(sum, used[0] + used[1] + used[2], hz,
	      "one call is for all threads, also those that are there already");
	pthread_barrier_init(&barrier, NULL, 1);
	pthread_create(&id[0], NULL, thread, &used[0]);
	pthread_join(id[0], NULL);
	about(arrived16(bins, BINS, sum / hz + used[0]) - sum, used[0], hz,
	      "and for those that come later");
	share = 0.005;
	sum = sum16(bins, BINS);
	cpu = briefly();
	about(arrived16(bins, BINS, sum / hz + cpu) - sum, cpu, hz,
	      "and for those that come and go");
	profil(bins, sizeof(bins), LOW, 0);
	after = sum16(bins, MOST);
	pthread_create(&id[0], NULL, thread, &used[0]);
	pthread_join(id[0], NULL);
	point(sum16(bins, MOST) == after, "and turning it off, too, is for all of them");
}

int
main(int argc, char **argv)
{
	if (argc == 2)
		return executed();
	counting();
	full();
	turning_off();
	faults();
	forking(argv[0]);
	threads();
	return failures != 0;
}
