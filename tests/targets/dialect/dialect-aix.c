/*
 * dialect-aix: each sentence of AIX's profil.  "dialect-aix 60" without -F.
 */
// CFLAGS: -D_GNU_SOURCE -lm -pthread
#include <mon.h>

#include "dialect.h"

enum { MOST = 4096, OFF = 0 };
static short bins[MOST], more[MOST];
#define COUNTS(array) ((uint16_t *)(array))

static void
fresh(void)
{
	profil(NULL, 0, 0, OFF);
	memset(bins, 0, sizeof(bins));
	memset(more, 0, sizeof(more));
}

static double
profiled(double seconds, unsigned size, uintptr_t offset, unsigned scale)
{
	double cpu;

	fresh();
	profil(bins, size, offset, scale);
	cpu = burn(seconds);
	profil(bins, size, offset, OFF);
	return cpu;
}

static double
sum(const short *array)
{
	return sum16(COUNTS(array), MOST);
}

static void
one_buffer(void)
{
	static const struct {
		unsigned scale;
		int text; /* bytes for each short */
		const char *what;
	} spans[] = {
		{ 0xffff, 2, "0xFFFF has a short for about each pair of bytes" },
		{ 0x7fff, 4, "0x7FFF has one for about every four bytes" },
		{ 0xabcd7fff, 4, "only the least significant 16 bits of the scale count" },
	};
	double cpu;

	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++) {
		const size_t last = (HIGH - LOW) / spans[i].text + 1;

		cpu = profiled(0.1, sizeof(bins), LOW, spans[i].scale);
		about(sum16(COUNTS(bins), last), cpu, hz, spans[i].what);
		point(sum(bins) == sum16(COUNTS(bins), last), "and nothing is counted in others");
	}
	cpu = profiled(0.1, sizeof(bins), LOW, 1);
	about(COUNTS(bins)[0], cpu, hz,
	      "1 counts all instructions in the first short: a core clock");
	cpu = profiled(0.1, 2, HIGH, 1);
	about(COUNTS(bins)[0], cpu, hz, "all of them, wherever the offset is");
	point(bins[1] == 0, "and only there");
	profiled(A_WHILE, sizeof(bins), LOW, 0x10000);
	point(sum(bins) == 0, "a scale whose 16 bits are 0 is off");
	profiled(0.06, sizeof(bins), LOW, 0xffff);
	cpu = sum(bins);
	burn(A_WHILE);
	enough(cpu, 1, "it counts");
	point(sum(bins) == cpu, "and a scale of 0 turns it off");
	profiled(A_WHILE, 0, LOW, 0xffff);
	point(sum(bins) == 0, "a size of 0 makes it ineffective");
	profiled(0.1, sizeof(bins), LOW - 100, 0xffff);
	enough(sum(bins), 0.05 * hz, "with an offset before the code all of it is counted");
	drawn(sum16(COUNTS(bins), 50) < 20, "and subtracted from the program counter");
	profiled(A_WHILE, 8, LOW - 100, 0xffff);
	point(sum16(COUNTS(bins) + 4, MOST - 4) == 0,
	      "a result that is not less than the number of shorts increments none");
	fresh();
	COUNTS(bins)[0] = 65500;
	profil(bins, sizeof(bins), LOW, 1);
	cpu = burn(0.1);
	profil(bins, sizeof(bins), LOW, OFF);
	about(COUNTS(bins)[0] + 36, cpu, hz, "a short wraps around at 65,536");
}

static struct prof ranges[1026];

static double
profiled_ranges(double seconds)
{
	double cpu;

	profil(ranges, -1, 0, 0);
	cpu = burn(seconds);
	profil(NULL, 0, 0, OFF);
	return cpu;
}

static void
many_buffers(void)
{
	const uintptr_t a = (uintptr_t)burn_steps, b = (uintptr_t)burn_more_steps;
	const uintptr_t middle = a < b ? b : a;
	double cpu, other;

	fresh();
	ranges[0] = (struct prof){ LOW, middle, bins, sizeof(bins), 0xffff };
	ranges[1] = (struct prof){ middle, HIGH, more, sizeof(more), 1 };
	ranges[2] = (struct prof){ 0 };
	profil(ranges, -1, 12345, OFF);
	cpu = burn(0.2);
	other = burn_more(0.1);
	profil(NULL, 0, 0, OFF);
	about(sum(a < b ? bins : more), cpu, hz, "each range of text counts in its own buffer");
	about(sum(a < b ? more : bins), other, hz, "whatever offset and scale of the call are");
	point(COUNTS(more)[0] == sum(more), "and by its own scale");
	fresh();
	ranges[0] = (struct prof){ LOW, HIGH, bins, (int)(HIGH - LOW) / 2, -1 };
	ranges[1] = (struct prof){ 0 };
	cpu = profiled_ranges(0.1);
	about(sum16(COUNTS(bins), (HIGH - LOW) / 4), cpu, hz,
	      "p_scale -1 is computed so that the buffer covers the range");
	point(sum(bins) == sum16(COUNTS(bins), (HIGH - LOW) / 4), "and not more");
	fresh();
	ranges[0] = (struct prof){ LOW, HIGH, bins, sizeof(bins), 0 };
	profiled_ranges(A_WHILE);
	point(sum(bins) == 0, "a range with p_scale 0 counts nothing");
	ranges[0] = (struct prof){ LOW, HIGH, bins, sizeof(bins), 0xffff };
	ranges[1] = (struct prof){ 0x10, 0x20, more, sizeof(more), 0xffff };
	ranges[2] = (struct prof){ 0 };
	profiled_ranges(A_WHILE);
	point(sum(bins) == 0, "ranges must be in ascending order of p_high: others are not taken");
	ranges[0] = (struct prof){ LOW, HIGH, bins, sizeof(bins), 0xffff };
	ranges[1] = (struct prof){ LOW, HIGH, more, sizeof(more), 1 };
	cpu = profiled_ranges(0.1);
	enough(sum(bins), 1, "of two that end at the same place the first one counts");
	point(sum(more) == 0, "and not the second");
	fresh();
	ranges[0] = (struct prof){ 0 };
	ranges[1] = (struct prof){ LOW, HIGH, bins, sizeof(bins), 0xffff };
	profiled_ranges(A_WHILE);
	point(sum(bins) == 0, "a p_high of 0 ends the array: what follows is not looked at");
	for (int i = 0; i < 1023; i++)
		ranges[i] = (struct prof){ 0, 16 + i, more, sizeof(more), 1 };
	ranges[1023] = (struct prof){ LOW, HIGH, bins, sizeof(bins), 0xffff };
	ranges[1024] = (struct prof){ 0 };
	cpu = profiled_ranges(0.1);
	about(sum16(COUNTS(bins), BINS), cpu, hz, "there may be 1024 of them");
	fresh();
	ranges[1024] = ranges[1023];
	ranges[1024].p_high++;
	ranges[1025] = (struct prof){ 0 };
	profiled_ranges(A_WHILE);
	point(sum(bins) == 0, "and not more");
	profil(NULL, -1, 0, 0);
	burn(0.05);
	point(1, "an array at no address does no harm");
}

CHILD_OF_FORK(sum(bins), 0.1, "it remains on in the child of a fork")

static void
ends(char *self)
{
	char *p = pages(8192);
	double before;
	int status;

	fresh();
	profil(bins, sizeof(bins), LOW, 0xffff);
	point(in_child(child_of_fork) == 0, "which comes to its end");
	before = sum(bins);
	burn(0.1);
	enough(sum(bins) - before, 0.05 * hz, "and in the parent");
	if (fork() == 0) {
		execl(self, self, "executed", (char *)NULL);
		_exit(99);
	}
	wait(&status);
	point(status == 0, "an exec turns it off (%#x)", status);
	for (int form = 0; form < 2; form++) {
		mprotect(p, 8192, PROT_READ | PROT_WRITE);
		ranges[0] = (struct prof){ LOW, HIGH, (short *)p, 8192, 0xffff };
		ranges[1] = (struct prof){ 0 };
		if (form == 0)
			profil(p, 8192, LOW, 0xffff);
		else
			profil(ranges, -1, 0, 0);
		mprotect(p, 8192, PROT_READ);
		burn(0.3); /* for an update at least, however late the supervisor is */
		mprotect(p, 8192, PROT_READ | PROT_WRITE);
		memset(p, 0, 8192);
		burn(A_WHILE);
		point(sum16((uint16_t *)p, MOST) == 0,
		      "an update that would fault turns it off, in the %s form",
		      form == 0 ? "first" : "second");
	}
}

static int
at_60(void)
{
	double cpu;

	hz = 60;
	cpu = profiled(1.2, sizeof(bins), LOW, 0xffff);
	about(sum16(COUNTS(bins), BINS), cpu, hz,
	      "the program counter is looked at 60 times a second");
	ranges[0] = (struct prof){ LOW, HIGH, bins, sizeof(bins), 0xffff };
	fresh();
	cpu = profiled_ranges(0.6);
	about(sum16(COUNTS(bins), BINS), cpu, hz, "in the second form, too");
	return failures != 0;
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "60") == 0)
		return at_60();
	if (argc == 2) {
		burn(A_WHILE);
		return sum(bins) != 0;
	}
	one_buffer();
	many_buffers();
	ends(argv[0]);
	return failures != 0;
}
