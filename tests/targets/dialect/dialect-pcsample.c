/*
 * dialect-pcsample: illumos's pcsample(2), as its manual's profil(2) sends programs there.
 */
// CFLAGS: -D_GNU_SOURCE -lm -pthread
#include <profil.h>

#include "dialect.h"

#include <limits.h>

enum { MOST = 100000 };
static uintptr_t samples[MOST + 1];

static long
in_code(long n)
{
	long in = 0;

	for (long i = 0; i < n; i++)
		in += samples[i] >= LOW && samples[i] < HIGH;
	return in;
}

static int
fails_with(uintptr_t *to, long n)
{
	errno = 0;
	return pcsample(to, n) == -1 ? errno : 0;
}

static int
child_of_fork(void)
{
	const double cpu = burn(0.2);
	const long n = pcsample(NULL, 0);

	roughly(n, cpu, "it goes on in the child of a fork");
	return in_code(n) <= n / 2;
}

int
main(void)
{
	uintptr_t *p = pages(8192);
	double cpu;
	long n;

	point(pcsample(NULL, 0) == 0,
	      "to stop what was never started is no error: nothing was sampled");
	point(pcsample(samples, MOST) == 0, "the first array has none before it");
	cpu = burn(0.3);
	n = pcsample(NULL, 0);
	about(n, cpu, hz, "stopping, with 0, tells how many program counters were sampled");
	about(in_code(n), cpu, hz, "they are whole addresses, of the code that ran");
	point(samples[n] == 0, "behind them nothing is written");
	burn(0.1);
	point(samples[n] == 0, "and nothing later");
	point(pcsample(NULL, 0) == 0, "a second stop has nothing to tell");

	memset(samples, 0, sizeof(samples));
	pcsample(samples, 20);
	burn(0.2);
	point(samples[19] != 0 && samples[20] == 0,
	      "there are as many as the array takes, and no more");
	point(pcsample(samples + 50, 100) == 20,
	      "the next array's call tells how many this one got");
	cpu = burn(0.05);
	n = pcsample(NULL, 0);
	about(n, cpu, hz, "and starts anew");
	point(samples[49] == 0 && samples[50] != 0 && samples[20] == 0, "at its own place");

	pcsample(samples, MOST);
	point(in_child(child_of_fork) == 0, "and half of it, and more, is in the code that ran");
	pcsample(NULL, 0);

	point(fails_with(samples, -1) == EINVAL, "a number below 0 is EINVAL");
	point(fails_with(samples, LONG_MAX) == EINVAL, "and so is one that no array has");
	point(fails_with(NULL, 10) == EFAULT, "an array at no address is EFAULT");
	point(fails_with(p + 1020, 10) == EFAULT, "and one that is not there to its end");
	point(fails_with(p + 1020, 4) == 0, "up to the last address it may be");
	burn(0.1);
	point(fails_with(NULL, 10) == EFAULT && pcsample(NULL, 0) == 4,
	      "an error leaves the array before it");
	pcsample(p, 1024);
	burn(0.05);
	mprotect(p, 8192, PROT_READ);
	burn(0.05);
	mprotect(p, 8192, PROT_READ | PROT_WRITE);
	cpu = burn(0.2);
	n = pcsample(NULL, 0);
	drawn(n > 0 && n < 0.25 * hz && p[n] == 0,
	      "where it can't be written it ends, with what it has");
	return failures != 0;
}
