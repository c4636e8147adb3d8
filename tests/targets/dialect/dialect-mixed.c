/*
 * dialect-mixed WORD: what the older dialects have in common.
 *
 *	all		all of them at once; then one after the other is turned off
 *	strict, filter	turned on before strict seccomp, or a filter that kills; counts there;
 *turned off alone		calls without a supervisor wait		calls when a line has come
 *on stdin, and once more known		what other systems' tests of profil and sprofil look for
 *	vfork, threads, fork, late
 */
// CFLAGS: -D_GNU_SOURCE -lm -pthread
#include <mon.h>

#include "../sandbox/sandbox.h"
#include "dialect.h"

/* <unistd.h>'s own, and glibc's sprofil: <sys/profil.h> has another struct prof. */
#undef profil
extern int profil(unsigned short *, size_t, size_t, unsigned int);
extern int sprofil(void *, int, struct timeval *, unsigned int);
struct sprofil_range {
	void *base;
	size_t size, offset;
	unsigned long scale;
};

enum { MOST = 4096, DIALECTS = 5 };
static uint16_t bins[DIALECTS][MOST];
static uintptr_t samples[100000];
static const char *const names[] = { "BSD", "illumos", "AIX", "sprofil", "pcsample" };

static void
turn(int which, int on)
{
	struct sprofil_range r = { bins[3], sizeof(bins[3]), LOW, 65536 };
	const unsigned scale = on ? 0xffff : 0;

	if (which == 0)
		profil_bsd(bins[0], sizeof(bins[0]), LOW, on ? 65536 : 0);
	else if (which == 1)
		profil_illumos(bins[1], sizeof(bins[1]), LOW, scale);
	else if (which == 2)
		profil_aix(bins[2], sizeof(bins[2]), LOW, scale);
	else if (which == 3)
		sprofil(&r, on, NULL, 0);
	else
		pcsample(samples, on ? 100000 : 0);
}

/* Of the burning code. */
static double
counted(int which)
{
	double n = 0;

	if (which < 4)
		return sum16(bins[which], MOST);
	for (size_t i = 0; samples[i] != 0; i++)
		n += samples[i] >= LOW && samples[i] < HIGH;
	return n;
}

static void
all(void)
{
	double cpu, most = 0, least, before[DIALECTS];

	for (int i = 0; i < DIALECTS; i++)
		turn(i, 1);
	cpu = burn(0.25);
	least = cpu * hz - slack_of(cpu * hz, hz);
	for (int i = 0; i < DIALECTS; i++)
		most = fmax(most, counted(i));
	enough(most, least, "one has all ticks that were seen");
	/* What was not seen is lacking in all of them. */
	cpu -= fmax(0, least - most) / hz;
	for (int i = 0; i < DIALECTS; i++)
		about(counted(i), cpu, hz, names[i]);
	for (int off = 0; off < DIALECTS; off++) {
		double fewest = hz;
		int wrong = 0;

		turn(off, 0);
		for (int i = 0; i < DIALECTS; i++)
			before[i] = counted(i);
		burn(0.06);
		for (int i = 0; i <= off; i++)
			wrong += counted(i) != before[i];
		for (int i = off + 1; i < DIALECTS; i++)
			fewest = fmin(fewest, counted(i) - before[i]);
		point(wrong == 0, "%s off: those that are off don't go on", names[off]);
		drawn(fewest >= 0.02 * hz, "those that are on do");
	}
	printf("#\tburnt %.0f\n", clock_of(CLOCK_PROCESS_CPUTIME_ID) * hz);
}

/* Nothing but memory and write(2) from here on. */
static void
sandboxed(int strict)
{
	static const int allowed[] = { SYS_write, SYS_exit };
	const double start = clock_of(CLOCK_THREAD_CPUTIME_ID);
	double on[DIALECTS];
	unsigned long tenth; /* of a second's steps: later nobody can be asked for the time */
	int wrong = 0, changed = 0;

	burn_steps(10000000);
	tenth = (unsigned long)(1e6 / (clock_of(CLOCK_THREAD_CPUTIME_ID) - start));
	for (int i = 0; i < DIALECTS; i++)
		turn(i, 1);
	if (strict)
		must(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0, "strict mode");
	else
		filter(allowed, 2, NULL, 0);
	burn_steps(tenth);
	for (int i = 0; i < DIALECTS; i++) {
		turn(i, 0);
		on[i] = counted(i);
		wrong += on[i] < 20;
	}
	burn_steps(tenth / 3);
	for (int i = 0; i < DIALECTS; i++)
		changed += counted(i) != on[i];
	say(wrong == 0 ? "ok\tthey count in the sandbox" : "not ok\tthey count in the sandbox");
	say(changed == 0 ? "ok\tand can be turned off there"
	                 : "not ok\tand can be turned off there");
	syscall(SYS_exit, 0);
}

static int
fails(long ret)
{
	return ret == -1 ? errno : 0;
}

static void
calls_fail(const char *when)
{
	struct sprofil_range r = { bins[3], sizeof(bins[3]), LOW, 65536 };

	point(fails(profil_bsd(bins[0], 100, LOW, 65536)) == ENOSYS, "%s BSD's profil is ENOSYS",
	      when);
	point(fails(profil_bsd(bins[0], 100, LOW, 0)) == ENOSYS, "%s also with scale 0", when);
	point(profil(bins[0], 100, LOW, 65536) == 0 && profil(NULL, 0, 0, 0) == 0,
	      "%s <unistd.h>'s works as libc's", when);
	point(sprofil(&r, 1, NULL, 0) == 0 && sprofil(NULL, 0, NULL, 0) == 0, "%s sprofil, too",
	      when);
	point(fails(pcsample(samples, 10)) == ENOSYS, "%s pcsample is ENOSYS", when);
	profil_illumos(bins[1], sizeof(bins[1]), LOW, 0xffff);
	profil_aix(bins[2], sizeof(bins[2]), LOW, 0xffff);
	memset(bins, 0, sizeof(bins));
	memset(samples, 0, sizeof(samples));
	burn(A_WHILE);
	for (int i = 0; i < DIALECTS; i++)
		point(counted(i) == 0, "%s %s counts nothing", when, names[i]);
}

static void
wait_for_death(void)
{
	double took;
	char c;

	turn(0, 1);
	burn(0.05);
	printf("ready %d\n", getpid());
	fflush(stdout);
	(void)!read(STDIN_FILENO, &c, 1);
	took = clock_of(CLOCK_MONOTONIC);
	point(fails(profil_bsd(bins[0], 100, LOW, 65536)) == ENOSYS, "the next call is ENOSYS");
	took = clock_of(CLOCK_MONOTONIC) - took;
	printf("#\tafter %.1f s\n", took);
	took = clock_of(CLOCK_MONOTONIC);
	calls_fail("after that");
	point(clock_of(CLOCK_MONOTONIC) - took < took + 0.4, "without another wait");
}

/* How other systems test it: a function that runs for a while must have been seen, one that never
 * ran must not; of two functions the one that runs longer has more. */
static void
known(void)
{
	const uintptr_t a = (uintptr_t)burn_steps, b = (uintptr_t)burn_more_steps;
	unsigned short one[64] = { 0 }, two[64] = { 0 };
	unsigned wide[2][32] = { 0 }, over[2] = { 0 };
	struct sprofil_range r[3];
	struct timeval tv = { 0 };
	double n[2];

	point(profil(one, 64, a, 65536) == 0, "profil() for one function, 64 bytes, is taken");
	burn(0.1);
	point(profil(NULL, 0, 0, 0) == 0, "and turned off with no buffer at all");
	enough(sum16(one, 32), 1, "the function was seen");
	point(sum16(one + 32, 32) == 0, "and nothing beyond it");
	point(profil(two, 64, b, 65536) == 0, "profil() for a function that does not run");
	burn(A_WHILE);
	profil(two, 64, b, 0);
	point(sum16(two, 64) == 0, "sees nothing");
	for (unsigned flags = 0; flags <= 1; flags++) {
		memset(wide, 0, sizeof(wide));
		r[0] = (struct sprofil_range){ wide[0], 64, a, 65536 };
		r[1] = (struct sprofil_range){ wide[1], 64, b, 65536 };
		r[2] = (struct sprofil_range){ over, sizeof(over), 0, 2 };
		point(sprofil(r, 3, &tv, flags) == 0 && (tv.tv_sec > 0 || tv.tv_usec > 0),
		      "sprofil() of two functions and the rest, flags %u, tells its tick", flags);
		burn(0.18);
		burn_more(0.06);
		sprofil(NULL, 0, NULL, 0);
		n[0] = flags ? sum32(wide[0], 16) : sum16((uint16_t *)wide[0], 32);
		n[1] = flags ? sum32(wide[1], 16) : sum16((uint16_t *)wide[1], 32);
		drawn(n[0] > 1.5 * n[1] && n[0] < 6 * n[1],
		      "the one that runs three times as long has about three times as much");
	}
}

static void
in_vfork(void)
{
	static volatile int ret;
	static volatile double cpu;
	int status;
	pid_t pid;

	turn(0, 1);
	pid = vfork();
	if (pid == 0) {
		ret = profil_bsd(bins[1], sizeof(bins[1]), LOW, 65536);
		cpu = burn(0.1);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	point(ret == 0 && status == 0, "the child of a vfork has an answer");
	about(sum16(bins[1], BINS), cpu, hz, "and counts in the memory that it shares");
	memset(bins, 0, sizeof(bins));
	cpu = burn(0.1);
	about(sum16(bins[0], BINS), cpu, hz, "its parent's profile is as it was");
	turn(0, 0);
}

static void *
caller(void *arg)
{
	intptr_t wrong = 0;

	for (int i = 0; i < 20; i++)
		wrong += fails(profil_bsd(bins[0], sizeof(bins[0]), LOW, (intptr_t)arg)) !=
		         ((intptr_t)arg == 65537 ? EINVAL : 0);
	return (void *)wrong;
}

static void
from_threads(void)
{
	pthread_t id[4];
	intptr_t wrong = 0;
	void *ret;

	for (int i = 0; i < 4; i++)
		pthread_create(&id[i], NULL, caller, (void *)(intptr_t)(65535 + i % 3));
	for (int i = 0; i < 4; i++) {
		pthread_join(id[i], &ret);
		wrong += (intptr_t)ret;
	}
	point(wrong == 0, "calls of many threads at once have each its own answer");
}

static int
call_in_child(void)
{
	return fails(profil_bsd(bins[0], sizeof(bins[0]), LOW, 65536));
}

int
main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (strcmp(word, "all") == 0)
		all();
	else if (strcmp(word, "strict") == 0 || strcmp(word, "filter") == 0)
		sandboxed(word[0] == 's');
	else if (strcmp(word, "alone") == 0)
		calls_fail("alone");
	else if (strcmp(word, "wait") == 0)
		wait_for_death();
	else if (strcmp(word, "known") == 0)
		known();
	else if (strcmp(word, "vfork") == 0)
		in_vfork();
	else if (strcmp(word, "threads") == 0)
		from_threads();
	else if (strcmp(word, "fork") == 0)
		printf("%d\n", in_child(call_in_child));
	else if (strcmp(word, "late") == 0)
		while (profil_bsd(bins[0], sizeof(bins[0]), LOW, 65536) == 0)
			burn(0.01);
	return failures != 0;
}
