/*
 * libc's own profil(3) and sprofil(3), for a program that nobody supervises: a timer of its CPU
 * time and SIGPROF, as if it had been linked without us.
 *
 * SPDX-License-Identifier: ISC
 */
#include "alone.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#define UINT 1 /* PROF_UINT of <sys/profil.h> */

/* Each of the two restores what it has found, as in libc. */
struct clock {
	int on;
	struct sigaction action;
	struct itimerval timer;
};

struct range {
	void *bins;
	size_t n, offset;
	unsigned long scale;
};

/* As libc's struct prof. */
struct prof {
	void *base;
	size_t size, offset;
	unsigned long scale;
};

static struct clock one, many;
static struct range only;      /* profil's */
static struct range *ranges;   /* sprofil's: the first one that has a bin counts */
static struct range *the_rest; /* counts what no other does; NULL: nobody */
static int nranges;

static long
tick_us(void)
{
	return 1000000 / sysconf(_SC_CLK_TCK);
}

static int
stop(struct clock *c)
{
	if (!c->on)
		return 0;
	c->on = 0;
	if (setitimer(ITIMER_PROF, &c->timer, NULL) < 0)
		return -1;
	return sigaction(SIGPROF, &c->action, NULL);
}

static int
start(struct clock *c, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct itimerval timer = { .it_value.tv_usec = tick_us() };

	sigfillset(&action.sa_mask);
	if (sigaction(SIGPROF, &action, &c->action) < 0)
		return -1;
	timer.it_interval = timer.it_value;
	c->on = 1;
	return setitimer(ITIMER_PROF, &timer, &c->timer);
}

static size_t
pc_of(const void *context)
{
	const ucontext_t *uc = context;
#ifdef __x86_64__
	return (size_t)uc->uc_mcontext.gregs[REG_RIP];
#else
	return (size_t)uc->uc_mcontext.pc;
#endif
}

/* Returns the number of the bin; r->n or more: there is none. */
static size_t
bin_of(const struct range *r, size_t pc, size_t width)
{
	const size_t i = (pc - r->offset) / width;

	return i / 65536 * r->scale + i % 65536 * r->scale / 65536;
}

static void
count_one(int sig, siginfo_t *info, void *context)
{
	const size_t i = bin_of(&only, pc_of(context), 2);

	(void)sig, (void)info;
	if (i < only.n)
		++((unsigned short *)only.bins)[i];
}

static void
raise_bin(const struct range *r, size_t i, size_t width)
{
	if (width == 2)
		++((unsigned short *)r->bins)[i];
	else
		++((unsigned *)r->bins)[i];
}

static void
count_many(const void *context, size_t width)
{
	const size_t pc = pc_of(context);

	for (int n = 0; n < nranges; n++) {
		const struct range *r = &ranges[n];
		const size_t i = bin_of(r, pc, width);

		if (r != the_rest && pc >= r->offset && i < r->n) {
			raise_bin(r, i, width);
			return;
		}
	}
	if (the_rest != NULL)
		raise_bin(the_rest, 0, width);
}

static void
count_shorts(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	count_many(context, 2);
}

static void
count_ints(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	count_many(context, 4);
}

int
__profsup_alone_profil(void *bins, size_t size, size_t offset, unsigned scale)
{
	if (stop(&one) < 0)
		return -1;
	if (bins == NULL)
		return 0;
	only = (struct range){ bins, size / 2, offset, scale };
	return start(&one, count_one);
}

int
__profsup_alone_sprofil(const void *profp, int n, struct timeval *tick, unsigned flags)
{
	const struct prof *from = profp;
	const size_t width = (flags & UINT) != 0 ? 4 : 2;

	if (stop(&many) < 0)
		return -1;
	free(ranges);
	ranges = the_rest = NULL;
	nranges = 0;
	if (n > 0 && (ranges = calloc((size_t)n, sizeof(*ranges))) == NULL)
		return -1;
	for (int i = 0; i < n; i++) {
		struct range *r = &ranges[nranges];

		*r = (struct range){ from[i].base, from[i].size / width, from[i].offset,
			             from[i].scale };
		if (r->scale < 2 || r->n == 0)
			continue;
		if (r->offset == 0 && r->scale == 2)
			the_rest = r;
		nranges++;
	}
	if (tick != NULL)
		*tick = (struct timeval){ .tv_usec = tick_us() };
	return nranges == 0 ? 0 : start(&many, width == 2 ? count_shorts : count_ints);
}
