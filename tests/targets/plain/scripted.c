/*
 * scripted KIND MS: does what the simulated programs of tests/sim/kinds.c do that are called so:
 * functions that compute for so long, a system call, and perhaps a sleep.  tests/sim/calibrate.sh
 * compares the two.  Prints which share of the CPU time the calls have, percent.
 */
#include "../clock.h"

/* Times in ns, and by how much of it they are longer or shorter, percent. */
struct step {
	char what; /* 0 to 3: that function; 'c': a call; 's': a sleep */
	unsigned ns, spread;
};
static const struct step mixed[] = {
	{ 0, 300000, 50 }, { 1, 120000, 50 }, { 'c', 20000, 50 }, { 3, 45000, 90 }, { 'e' }
};
static const struct step short_calls[] = {
	{ 0, 6000, 5 }, { 'c', 400, 10 }, { 2, 6000, 5 }, { 3, 12000, 5 }, { 'e' }
};
static const struct step rare_calls[] = {
	{ 0, 60000, 10 }, { 'c', 5000, 10 }, { 2, 60000, 10 }, { 3, 125000, 10 }, { 'e' }
};
static const struct step sleeper[] = {
	{ 0, 150000, 60 }, { 1, 90000, 60 }, { 's', 700000, 80 }, { 3, 60000, 60 }, { 'e' }
};
static const struct kind {
	const char *name;
	const struct step *script;
	int crowd; /* for each CPU; 0: one */
	int threads;
} kinds[] = {
	{ "alone", mixed, 0, 0 },           { "calls", short_calls, 0, 0 },
	{ "rare-calls", rare_calls, 0, 0 }, { "sleeper", sleeper, 0, 0 },
	{ "crowd-4", mixed, 4, 0 },         { "threads-4", mixed, 4, 1 },
};

static double turns_of_ns, bytes_of_ns; /* what a function and a call do in a nanosecond */
static double call_ns;                  /* what a call takes that does nothing */
static unsigned long most_ns;
static const struct kind *kind;
static struct {
	unsigned long calls, all; /* CPU time, ns */
} * total;

/* Functions that compute, and are not made one. */
#define FUNCTION(name)                                                                             \
	__attribute__((noipa)) static void name(unsigned long n)                                   \
	{                                                                                          \
		for (volatile unsigned long i = 0; i < n; i++)                                     \
			continue;                                                                  \
	}
FUNCTION(spin)
FUNCTION(before)
FUNCTION(beside)
FUNCTION(after)
FUNCTION(far)

/* The kernel computes so many bytes, from no memory. */
__attribute__((noinline)) static void
ask(size_t bytes)
{
	char buffer[64 << 10];

	syscall(SYS_getrandom, buffer, bytes < sizeof(buffer) ? bytes : sizeof(buffer), 0);
}

static double
spread(const struct step *s, unsigned *seed)
{
	return s->ns * (1 + s->spread / 100.0 * (2.0 * rand_r(seed) / RAND_MAX - 1));
}

static void *
work(void *arg)
{
	static void (*const function[])(unsigned long) = { before, beside, after, far };
	unsigned seed = (unsigned)getpid() + (unsigned)(size_t)arg;
	const unsigned long began = cpu_ns();
	unsigned long ns = 0;
	double calls = 0, due = 0;

	/* The clock is a system call, too, and so it is asked every two milliseconds only. */
	for (const struct step *s = kind->script; ns < most_ns;
	     s = s[1].what == 'e' ? kind->script : s + 1) {
		const double step = spread(s, &seed);

		if (s->what == 'c') {
			ask(step < call_ns ? 0 : (size_t)((step - call_ns) * bytes_of_ns));
			calls += step < call_ns ? call_ns : step;
		} else if (s->what == 's') {
			usleep((unsigned)step / 1000);
		} else {
			function[(int)s->what]((unsigned long)(step * turns_of_ns));
		}
		due += s->what == 's' ? 0 : step;
		if (due > 2000000) {
			due = 0;
			ns = cpu_ns() - began;
		}
	}
	__atomic_fetch_add(&total->calls, (unsigned long)calls, __ATOMIC_RELAXED);
	__atomic_fetch_add(&total->all, ns, __ATOMIC_RELAXED);
	return arg;
}

/* The least of several. */
static double
cost_of(void (*what)(size_t), size_t n)
{
	unsigned long least = -1UL;

	for (int i = 0; i < 50; i++) {
		const unsigned long began = cpu_ns();
		unsigned long ns;

		for (int j = 0; j < 20; j++)
			what(n);
		ns = cpu_ns() - began;
		least = ns < least ? ns : least;
	}
	return least / 20.0;
}

static void
start(pthread_t *thread, int i)
{
	if (kind->threads && pthread_create(thread, NULL, work, (void *)(size_t)i) != 0)
		err(1, "pthread_create");
	if (!kind->threads && fork() == 0) {
		work(NULL);
		_exit(0);
	}
}

int
main(int argc, char **argv)
{
	pthread_t thread[1024];
	int n;

	for (kind = kinds; argc == 3 && strcmp(kind->name, argv[1]) != 0;)
		if (++kind == kinds + sizeof(kinds) / sizeof(kinds[0]))
			argc = 0;
	if (argc != 3)
		errx(1, "usage: scripted KIND MS");
	turns_of_ns = 10000 / cost_of(spin, 10000);
	call_ns = cost_of(ask, 0);
	bytes_of_ns = 8192 / (cost_of(ask, 8192) - call_ns);
	total = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	n = kind->crowd == 0 ? 1 : kind->crowd * (int)sysconf(_SC_NPROCESSORS_ONLN);
	most_ns = strtoul(argv[2], NULL, 10) * 1000000 / n;
	for (int i = 1; i < n; i++)
		start(&thread[i], i);
	work(NULL);
	while (wait(NULL) > 0)
		;
	for (int i = 1; i < n && kind->threads; i++)
		pthread_join(thread[i], NULL);
	printf("%.1f\n", 100.0 * total->calls / total->all);
	return 0;
}
