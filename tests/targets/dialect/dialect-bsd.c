/*
 * dialect-bsd: each sentence of 4.3BSD's and 4.4BSD's profil(2).
 */
// CFLAGS: -D_GNU_SOURCE -DPROFIL_DIALECT=bsd -lm
#include <profil.h>

#include "dialect.h"

enum { GUARD = 0xa5a5, MOST = 4096 };
static uint16_t bins[MOST];

static void
fresh(void)
{
	profil(NULL, 0, 0, 0);
	memset(bins, 0, sizeof(bins));
}

/* Profiles burn(seconds) with all bins that it takes; returns its CPU time. */
static double
profiled(double seconds, size_t size, uintptr_t offset, unsigned scale)
{
	double cpu;

	fresh();
	if (profil(bins, size, offset, scale) != 0)
		return -1;
	cpu = burn(seconds);
	return profil(bins, size, offset, 0) == 0 ? cpu : -1;
}

/* The first and the last bin that the burning code can have, by the manual's own words. */
static size_t
bin_of(uintptr_t pc, uintptr_t offset, uint64_t scale)
{
	return (pc - offset) / 2 * scale / 65536;
}

static int
only_there(uintptr_t offset, unsigned scale)
{
	for (size_t i = 0; i < MOST; i++)
		if (bins[i] != 0 &&
		    (i < bin_of(LOW, offset, scale) || i > bin_of(HIGH, offset, scale)))
			return 0;
	return 1;
}

static void
counting(void)
{
	static const struct {
		unsigned scale;
		const char *what;
	} spans[] = {
		{ 65536, "a scale of 65536 makes bins of 2 bytes of text" },
		{ 32768, "a scale of 32768 makes bins of 4 bytes" },
		{ 16384, "a scale of 16384 makes bins of 8 bytes" },
		{ 50000, "a scale between gives a span between" },
		{ 2, "a scale of 2 brings all of a small program to the first bin" },
		{ 1, "4.4BSD: a scale of 1 is not off" },
	};
	double cpu, before;

	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		cpu = profiled(0.1, sizeof(bins), LOW, spans[i].scale);
		about(sum16(bins, bin_of(HIGH, LOW, spans[i].scale) + 1), cpu, hz, spans[i].what);
		point(only_there(LOW, spans[i].scale), "and no other bin has anything (%u)",
		      spans[i].scale);
	}
	cpu = profiled(0.1, sizeof(bins), LOW - 64, 65536);
	about(sum16(bins + bin_of(LOW, LOW - 64, 65536), BINS), cpu, hz,
	      "the offset is subtracted from the program counter");
	profiled(0.06, sizeof(bins), HIGH, 65536);
	drawn(sum16(bins, 1) <= 2 && bins[MOST - 1] == 0 && sum16(bins, MOST) < 20,
	      "what lies below the offset is not counted");
	fresh();
	for (size_t i = 0; i < MOST; i++)
		bins[i] = GUARD;
	memset(bins, 0, 8);
	profil(bins, 8, LOW, 65536);
	burn(A_WHILE);
	profil(bins, 8, LOW, 0);
	for (before = 4; before < MOST && bins[(size_t)before] == GUARD;)
		before++;
	point(before == MOST, "only the size bytes of the buffer are ever written");
	fresh();
	profil(bins, sizeof(bins), LOW, 65536);
	cpu = burn(0.12);
	before = arrived16(bins, BINS, cpu);
	about(before, cpu, hz, "the counts are there while it still runs");
	cpu = burn(0.12);
	about(arrived16(bins, BINS, before / hz + cpu) - before, cpu, hz, "and go on from there");
}

static void
turning_off(void)
{
	double sum;

	profiled(0.06, sizeof(bins), LOW, 65536);
	sum = sum16(bins, MOST);
	burn(A_WHILE);
	enough(sum, 1, "it counts");
	point(sum16(bins, MOST) == sum, "and a scale of 0 turns it off, from that return on");
	fresh();
	profil(bins, sizeof(bins), LOW, 65536);
	point(profil(bins, 0, LOW, 65536) == 0, "a size of 0 is no error");
	memset(bins, 0, sizeof(bins));
	burn(A_WHILE);
	point(sum16(bins, MOST) == 0, "but has no effect but that nothing is counted");
	point(profil((void *)8, 100, LOW, 0) == 0,
	      "with scale 0 the buffer may be anything: it returns 0");
}

static void
wrapping(void)
{
	double cpu;

	fresh();
	bins[0] = 65500;
	profil(bins, sizeof(bins), LOW, 2);
	cpu = burn(0.1);
	profil(bins, sizeof(bins), LOW, 0);
	about(bins[0] + 65536.0 - 65500, cpu, hz, "a bin has 16 bits and wraps around");
	point(bins[1] == 0, "into no other");
}

static int
fails_with(void *buf, size_t size, unsigned scale)
{
	errno = 0;
	return profil(buf, size, LOW, scale) == -1 ? errno : 0;
}

static void
illegal(void)
{
	char *p = pages(8192);
	double cpu;

	point(fails_with(NULL, 100, 65536) == EFAULT,
	      "a buffer at no address is EFAULT at the call");
	point(fails_with(p + 8192, 2, 2) == EFAULT, "so is one that is not mapped");
	point(fails_with(p + 8000, 200, 2) == EFAULT, "and one that is not mapped to its end");
	point(fails_with(p, (size_t)-1, 2) == EFAULT, "and one that ends past all addresses");
	point(fails_with(p, 8192, 2) == 0, "up to its last byte it is legal");
	mprotect(p + 4096, 4096, PROT_READ);
	point(fails_with(p + 4096, 100, 2) == EFAULT, "a buffer that can't be written is EFAULT");
	fresh();
	profil(bins, sizeof(bins), LOW, 65536);
	profil(NULL, 100, LOW, 65536);
	memset(bins, 0, sizeof(bins));
	burn(A_WHILE);
	point(sum16(bins, MOST) == 0, "and ends the profile that was on");
	profil(bins, sizeof(bins), LOW, 65536);
	point(fails_with(bins, sizeof(bins), 65537) == EINVAL, "a scale above 65536 is EINVAL");
	memset(bins, 0, sizeof(bins));
	cpu = burn(0.1);
	about(sum16(bins, BINS), cpu, hz, "which leaves the profile on");
	fresh();
	mprotect(p, 8192, PROT_READ | PROT_WRITE);
	profil(p, 8192, LOW, 65536);
	cpu = burn(0.1);
	about(sum16((uint16_t *)p, BINS), cpu, hz, "a buffer of its own pages counts");
	mprotect(p, 8192, PROT_READ);
	burn(0.3); /* for an update at least, however late the supervisor is */
	mprotect(p, 8192, PROT_READ | PROT_WRITE);
	memset(p, 0, 8192);
	burn(A_WHILE);
	point(sum16((uint16_t *)p, MOST) == 0, "an update that would fault turns it off");
	profil(p, 8192, LOW, 65536);
	munmap(p, 8192);
	burn(0.06);
	point(1, "and so when the buffer is unmapped: the program goes on");
	point(profil(p, 8192, LOW, 0) == 0, "and may turn off what is off");
}

CHILD_OF_FORK(sum16(bins, MOST), 0.1, "it stays on in the child of a fork")

static void
forking(void)
{
	double before;

	fresh();
	profil(bins, sizeof(bins), LOW, 65536);
	burn(0.1);
	before = sum16(bins, MOST);
	point(in_child(child_of_fork) == 0, "which comes to its end");
	drawn(sum16(bins, MOST) - before < 20, "which counts in its own memory");
	before = sum16(bins, MOST);
	burn(0.1);
	enough(sum16(bins, MOST) - before, 0.05 * hz, "and in its parent");
	profil(NULL, 0, 0, 0);
}

/* Memory that outlives an exec: a file's. */
static uint16_t *
kept(int fd)
{
	return mmap((void *)0x10000000, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
	            0);
}

static void
executing(char *self)
{
	char number[16];
	int fd = memfd_create("bins", 0), status;
	uint16_t *bin;

	ftruncate(fd, 8192);
	bin = kept(fd);
	snprintf(number, sizeof(number), "%d", fd);
	profil(bin, 8192, 0, 1);
	profil(bin, 8192, LOW, 65536);
	fflush(stdout);
	if (fork() == 0) {
		execl(self, self, "executed", number, (char *)NULL);
		_exit(99);
	}
	wait(&status);
	profil(NULL, 0, 0, 0);
	point(status == 0, "an exec turns it off, and the new image may turn it on (%#x)", status);
}

static int
executed(int fd)
{
	uint16_t *bin = kept(fd);

	memset(bin, 0, 8192);
	burn(A_WHILE);
	if (sum16(bin, MOST) != 0)
		return 1;
	profil(bin, 8192, LOW, 65536);
	burn(0.1);
	return sum16(bin, MOST) == 0 ? 2 : 0;
}

/* A second call, before the first has its answer. */
static volatile int inner = 7;

static void
handler(int sig)
{
	(void)sig;
	inner = profil(bins, sizeof(bins), LOW, 65537) == -1 ? errno : 0;
}

static void
in_a_handler(void)
{
	const struct itimerval soon = { .it_value = { 0, 300 } };
	int wrong = 0, between = 0;

	signal(SIGALRM, handler);
	for (int i = 0; i < 20; i++) {
		inner = 7;
		setitimer(ITIMER_REAL, &soon, NULL);
		wrong += profil(bins, sizeof(bins), LOW, 65536) != 0;
		between += inner != 7;
		while (inner == 7)
			burn_steps(1000);
		wrong += inner != EINVAL;
	}
	point(between > 0, "a handler comes while a call waits (%d times)", between);
	point(wrong == 0, "each of the two calls has the answer that is its own");
	profil(NULL, 0, 0, 0);
}

int
main(int argc, char **argv)
{
	if (argc == 3)
		return executed(atoi(argv[2]));
	point(profil(bins, sizeof(bins), LOW, 65536) == 0, "it returns 0");
	counting();
	turning_off();
	wrapping();
	illegal();
	forking();
	executing(argv[0]);
	in_a_handler();
	return failures != 0;
}
