/*
 * The calls of the older dialects as they leave the program, on a machine where there
 * is no supervisor: a thread here answers the mailbox.  One line each: "ok" or "not ok", a tab,
 * what must hold.
 *
 * SPDX-License-Identifier: ISC
 */
#include "profsup_abi.h"

#include <errno.h>
#include <profil.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

extern struct profsup_mailbox __profsup_mailbox __attribute__((visibility("hidden")));
extern int sprofil(void *profp, int profcnt, struct timeval *tvp, unsigned int flags);

enum { THREADS = 8, CALLS = 300, HANDLED = 300 };

static struct profsup_mailbox seen; /* as the last call was found */
static int64_t answer;              /* what it gets; echo: its first two arguments together */
static const int64_t echo = INT64_MIN;
static volatile bool silent, over;

static void
point(bool good, const char *what)
{
	printf("%s\t%s\n", good ? "ok" : "not ok", what);
}

/* What the supervisor does at its tick. */
static void *
supervisor(void *arg)
{
	struct profsup_mailbox *m = &__profsup_mailbox;
	sigset_t all;

	(void)arg;
	sigfillset(&all); /* who calls here would wait for himself */
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	while (!over) {
		const uint32_t posted = __atomic_load_n(&m->posted, __ATOMIC_ACQUIRE);

		if (silent || posted == m->answered) {
			usleep(silent ? 1000 : 20); /* not to keep the CPU from who calls */
			continue;
		}
		seen = *m;
		m->result = answer == echo ? (int64_t)(m->arg[0] + m->arg[1]) : answer;
		__atomic_store_n(&m->answered, posted, __ATOMIC_RELEASE);
	}
	return NULL;
}

static bool
saw(uint64_t call, uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	const bool is = seen.call == call && seen.arg[0] == a && seen.arg[1] == b &&
	                seen.arg[2] == c && seen.arg[3] == d;

	memset(&seen, 0, sizeof(seen));
	return is;
}

static void
each(void)
{
	unsigned short bins[4];
	uintptr_t counters[4];
	struct timeval tv = { 0 };
	const uint64_t at = (uint64_t)(uintptr_t)bins, most = 0xfedcba9876543210;

	answer = 0;
	point(profil_bsd(bins, 8, most, 65537) == 0 && saw(PROFSUP_CALL_BSD, at, 8, most, 65537),
	      "4.4BSD's call has its arguments");
	profil_illumos(bins, 6, most, 0xffff);
	point(saw(PROFSUP_CALL_ILLUMOS, at, 6, most, 0xffff), "so has illumos's");
	profil_aix(bins, (unsigned)-1, most, (unsigned)-1);
	point(saw(PROFSUP_CALL_AIX, at, 0xffffffff, most, 0xffffffff), "and AIX's");
	answer = 10000;
	point(sprofil(bins, 3, &tv, 1) == 0 && saw(PROFSUP_CALL_SPROFIL, at, 3, 1, 0) &&
	          tv.tv_sec == 0 && tv.tv_usec == 10000,
	      "sprofil's, whose answer is a time");
	answer = 17;
	point(pcsample(counters, 4) == 17 &&
	          saw(PROFSUP_CALL_PCSAMPLE, (uint64_t)(uintptr_t)counters, 4, 0, 0),
	      "and pcsample's, whose answer is a number");
	answer = -EFAULT;
	errno = 0;
	point(profil_bsd(bins, 8, 0, 1) == -1 && errno == EFAULT && pcsample(counters, 4) == -1 &&
	          errno == EFAULT && sprofil(bins, 1, &tv, 0) == -1,
	      "a refusal is an error number");
	seen.call = 0;
	errno = 0;
	point(pcsample(counters, -1) == -1 && errno == EINVAL && seen.call == 0,
	      "what is wrong in any case is not asked");
}

static void *
many(void *arg)
{
	const long first = (long)(intptr_t)arg * 1000000;
	long wrong = 0;

	for (long i = 0; i < CALLS; i++)
		wrong += pcsample((uintptr_t *)(intptr_t)first, i) != first + i;
	return (void *)(intptr_t)wrong;
}

static void
threads(void)
{
	pthread_t thread[THREADS];
	bool good = true;
	void *wrong;

	answer = echo;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, many, (void *)(intptr_t)(i + 1));
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &wrong);
		good &= wrong == NULL;
	}
	point(good, "threads that call at once get each its own answer");
}

static volatile long handled, handled_wrong;

static void
handler(int sig)
{
	handled++;
	handled_wrong += pcsample((uintptr_t *)500000000, sig) != 500000000 + sig;
}

static void
signals(void)
{
	const struct itimerval often = { { 0, 700 }, { 0, 700 } }, never = { 0 };
	long wrong = 0;

	answer = echo;
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	for (long i = 0; handled < HANDLED; i++)
		wrong += pcsample((uintptr_t *)1000000, i % 1000) != 1000000 + i % 1000;
	setitimer(ITIMER_REAL, &never, NULL);
	point(wrong == 0 && handled_wrong == 0, "so do a call and a handler's in its midst");
}

int
main(void)
{
	pthread_t thread;

	errno = 0;
	point(profil_bsd(NULL, 0, 0, 0) == -1 && errno == ENOSYS && __profsup_mailbox.posted == 0,
	      "without a supervisor nothing is asked");
	__profsup_mailbox.supervised = 1;
	pthread_create(&thread, NULL, supervisor, NULL);
	each();
	threads();
	signals();
	silent = true;
	errno = 0;
	point(profil_bsd(NULL, 0, 0, 0) == -1 && errno == ENOSYS &&
	          __profsup_mailbox.supervised == 0,
	      "a supervisor that is gone is given up");
	over = true;
	pthread_join(thread, NULL);
	return 0;
}
