/*
 * sim [--seed=FIRST[:N]] [--kind=NAME] [--each] [--trace]: runs the supervisor on simulated
 * machines, and compares what it has booked with what was.  TAP: one point for each kind and check,
 * with the seeds that fail.
 *
 * The supervisor's files have variables of their own, so each run is a process.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sim.h"

#include "sampler/sampler.h"
#include "start/start.h"
#include "trace/trace.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a run was, in figures. */
struct result {
	struct machine machine;
	bool done;
	uint64_t used, ticks, own, longest, took;
	struct stats stats;
	uint64_t
	    worst; /* by how much the ticks of a process are too many or too few, periods * 100 */
	unsigned files;                             /* that were not written once */
	unsigned stopped;                           /* threads that were left stopped */
	double spent[FUNCTIONS], booked[FUNCTIONS]; /* parts of all */
};

static const struct kind *kind;

static void
be_some_machine(void)
{
	machine = (struct machine){
		.cpus = 1 + (unsigned)engine_random(4),
		.tick = engine_random(2) != 0 ? NSEC / 250 : NSEC / 1000,
		.slice = 700000UL * (1 + engine_random(4)),
		.lazy = engine_random(2) != 0,
		.short_slices = engine_random(2) != 0,
		.interrupt = 2000 + engine_random(18000),
		.slow = 200000 + engine_random(2000000),
		.slow_in_1000 = (unsigned)engine_random(20),
		.switching = 600 + engine_random(2000),
		.timer = 500 + engine_random(20000),
		.dear = 50 + (unsigned)engine_random(200),
		.file = 200000 + engine_random(1500000),
		.root = !kind->plain,
	};
	if (kind->steal) {
		machine.stolen = 500000 + engine_random(20000000);
		machine.not_stolen = machine.stolen * (1 + engine_random(8));
	}
}

static struct proc *
take_process(struct profsup *ps, const struct process *p)
{
	struct proc *proc = proc_add(ps, p->pid);

	proc->profile = profile_new();
	proc->profile->mode.on = true;
	proc->profile->mode.toggles = 1;
	counts_set_range(&proc->profile->counts, FUNCTIONS * FUNCTION_BYTES, FUNCTION_BYTES,
	                 PROFSUP_SCALE_ONE);
	for (const struct thread *t = threads; t != NULL; t = t->next)
		if (t->process == p)
			tracee_add(ps, t->tid, proc)->birth.past = true;
	return proc;
}

static struct profsup *run;

static void *
supervise(void *arg)
{
	struct profsup *ps = run = calloc(1, sizeof(*ps));

	(void)arg;
	ps->opt.hz = kind->hz;
	ps->opt.sampler = kind->perf ? SAMPLER_PERF : SAMPLER_PTRACE;
	ps->opt.delay_ms = 0;
	ps->outdir = ps->stats_fd = ps->control.commands = ps->control.answers = -1;
	ps->front.pid = 1;
	ps->target = 1;
	control_open(ps);
	if (sampler_init(ps) < 0)
		exit(2);
	for (const struct process *p = processes; p != NULL; p = p->next)
		if (!p->bystander)
			sampler_start_process(ps, take_process(ps, p));
	for (struct thread *t = threads; t != NULL; t = t->next)
		if (t->process != NULL)
			sched_wake(t);
	loop_run(ps);
	return NULL;
}

static void
sum_up(struct result *r)
{
	const uint64_t period = NSEC / kind->hz;
	uint64_t all = 0;

	for (const struct process *p = processes; p != NULL; p = p->next) {
		uint64_t ticks = p->elsewhere;

		if (p->bystander)
			continue;
		r->files += p->files != 1;
		r->used += p->used;
		for (int i = 0; i < FUNCTIONS; i++) {
			ticks += p->booked[i];
			r->spent[i] += (double)p->spent[i];
			r->booked[i] += (double)p->booked[i];
		}
		all += ticks;
	}
	for (int i = 0; i < FUNCTIONS; i++) {
		r->spent[i] /= (double)r->used;
		r->booked[i] /= (double)(all == 0 ? 1 : all);
	}
	r->ticks = all;
	r->worst =
	    (uint64_t)llabs((int64_t)((all + run->stats.unseen) * period) - (int64_t)r->used) *
	    100 / period;
	for (const struct thread *t = threads; t != NULL; t = t->next) {
		r->stopped += t->process != NULL && !t->process->bystander && t->state != GONE;
		r->own += t->process == NULL ? t->ran : 0;
		if (t->longest > r->longest)
			r->longest = t->longest;
	}
}

/* Runs in a process of its own. */
static void
run_one(uint64_t seed, struct result *r)
{
	uint64_t began;

	engine_seed(seed);
	be_some_machine();
	r->machine = machine;
	now += engine_random(NSEC);
	began = now;
	sched_begin();
	ours_start(supervise, NULL);
	kind->make(kind);
	engine_run();
	r->took = now - began;
	r->stats = run->stats;
	sum_up(r);
	r->done = true;
}

static void
run_some(uint64_t first, uint64_t n, uint64_t part, uint64_t parts, struct result *results)
{
	for (uint64_t i = part; i < n; i += parts) {
		if (fork() == 0) {
			alarm(20);
			run_one(first + i, &results[i]);
			_exit(0);
		}
		wait(NULL);
	}
}

static void
run_all(uint64_t first, uint64_t n, struct result *results)
{
	const uint64_t parts = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);

	for (uint64_t part = 0; part < parts; part++)
		if (fork() == 0) {
			run_some(first, n, part, parts, results);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
}

static bool wants_each;
static unsigned points, failures;

static void
point(bool ok, const char *what, const char *figures)
{
	failures += !ok;
	printf("%sok %u - %s: %s%s%s\n", ok ? "" : "not ", ++points, kind->name, what,
	       *figures == '\0' ? "" : " # ", figures);
}

/* One point of all seeds; those that fail are named. */
static void
each(uint64_t first, uint64_t n, const struct result *r, const char *what,
     bool (*fits)(const struct result *r))
{
	unsigned bad = 0;

	for (uint64_t i = 0; i < n; i++)
		if (!fits(&r[i]) && bad++ < 5)
			printf("# build/tests/sim --seed=%llu --kind=%s: %s\n",
			       (unsigned long long)first + i, kind->name, what);
	point(bad == 0, what, "");
}

static bool
has_ended(const struct result *r)
{
	return r->done;
}

static bool
has_all_files(const struct result *r)
{
	return !r->done || (r->files == 0 && r->stopped == 0);
}

/* Two ticks ahead at the most, and one not yet full. */
static bool
is_total(const struct result *r)
{
	return !r->done || r->worst <= 300;
}

/* By how much a function's share is off on average, points, and the standard error of that. */
static void
get_bias(uint64_t n, const struct result *r, int function, double *off, double *error)
{
	double sum = 0, squares = 0;

	for (uint64_t i = 0; i < n; i++) {
		const double d = 100 * (r[i].booked[function] - r[i].spent[function]);

		sum += d;
		squares += d * d;
	}
	*off = sum / (double)n;
	*error = sqrt((squares / (double)n - *off * *off) / (double)n);
}

/* What five standard errors explain is no bias. */
static void
check_shares(uint64_t n, const struct result *r)
{
	char figures[256] = "";
	size_t len = 0;
	bool good = true;

	for (int f = 0; f < FUNCTIONS; f++) {
		double off, error;

		get_bias(n, r, f, &off, &error);
		good &= fabs(off) - 5 * error <= kind->bias;
		if (off != 0 || error != 0)
			len += (size_t)snprintf(figures + len, sizeof(figures) - len,
			                        "%s%+.2f (%.2f)", len == 0 ? "" : ", ", off, error);
	}
	point(good, "shares have no bias", figures);
}

/* By how much the share is off that is off most, points. */
static double
worst_share(const struct result *r)
{
	double worst = 0;

	for (int f = 0; f < FUNCTIONS; f++)
		worst = fmax(worst, 100 * fabs(r->booked[f] - r->spent[f]));
	return worst;
}

/* By how much who reads what was said has to think that a share may be off: where nothing was, it
 * may be small, or what three standard errors of so many ticks in time make. */
static double
promise(const struct result *r)
{
	const unsigned said = advise_points(&r->stats);

	return said != 0 ? said : fmax(7.5, 150 / sqrt((double)r->ticks + 1));
}

/* Two standard errors, of several shares, and the biases of kinds.c: one run in ten is worse than
 * said, and hardly one in six. */
static void
check_warnings(uint64_t n, const struct result *r)
{
	uint64_t said = 0, broken = 0;
	double sum = 0, squares = 0;
	char figures[128];

	for (uint64_t i = 0; i < n; i++) {
		const double worst = worst_share(&r[i]);

		broken += worst > promise(&r[i]);
		if (advise_points(&r[i].stats) == 0)
			continue;
		said++;
		sum += promise(&r[i]);
		squares += worst * worst;
	}
	snprintf(figures, sizeof(figures), "%llu of %llu are further off",
	         (unsigned long long)broken, (unsigned long long)n);
	point(broken * 6 <= n, "shares are no further off than is said", figures);
	snprintf(figures, sizeof(figures), "%llu warned, of %.1f points; %.1f are usual",
	         (unsigned long long)said, sum / (double)(said + (said == 0)),
	         sqrt(squares / (double)(said + (said == 0))));
	point(said * 20 <= n || sqrt(squares / (double)said) > sum / (double)said / 4,
	      "nobody is warned of less", figures);
}

/* --each */
static void
print_each(uint64_t first, uint64_t n, const struct result *r)
{
	for (uint64_t i = 0; i < n; i++) {
		printf("# %llu: own %.2f %%, longest stop %.0f us, %llu samples,",
		       (unsigned long long)first + i,
		       100.0 * (double)r[i].own / (double)(r[i].used + 1),
		       (double)r[i].longest / 1e3, (unsigned long long)r[i].stats.samples);
		printf(" said %u,", advise_points(&r[i].stats));
		for (int f = 0; f < FUNCTIONS; f++)
			if (r[i].spent[f] > 0)
				printf(" %+.2f", 100 * (r[i].booked[f] - r[i].spent[f]));
		printf("; %u CPUs, tick %llu ms, slice %.1f ms%s%s, interrupt %.1f us, slow "
		       "%u/1000 %.0f us, timer %.1f us, dear %u\n",
		       r[i].machine.cpus, (unsigned long long)r[i].machine.tick / 1000000,
		       (double)r[i].machine.slice / 1e6, r[i].machine.lazy ? ", lazy" : "",
		       r[i].machine.short_slices ? ", short" : "",
		       (double)r[i].machine.interrupt / 1e3, r[i].machine.slow_in_1000,
		       (double)r[i].machine.slow / 1e3, (double)r[i].machine.timer / 1e3,
		       r[i].machine.dear);
	}
}

static void
print_figures(uint64_t n, const struct result *r)
{
	double own = 0, samples = 0, unseen = 0, longest = 0;

	for (uint64_t i = 0; i < n; i++) {
		if (r[i].used == 0)
			continue;
		own += 100.0 * (double)r[i].own / (double)r[i].used / (double)n;
		samples +=
		    100.0 * (double)r[i].stats.samples / (double)(r[i].ticks + 1) / (double)n;
		unseen += 100.0 * (double)r[i].stats.unseen / (double)(r[i].ticks + 1) / (double)n;
		longest = fmax(longest, (double)r[i].longest / 1e3);
	}
	printf("# %s: own CPU time %.2f %%, samples %.1f %% of the ticks, not seen %.2f %%, "
	       "longest stop %.0f us\n",
	       kind->name, own, samples, unseen, longest);
}

/* How long a stop for a sample may take: a supervisor without real-time priority waits its turn,
 * and so does one that has used up its share of it, as when many processes end at once, each of
 * which may have a millisecond's work for it.  The host may take its CPU away twice. */
static bool
is_let_go_soon(const struct result *r)
{
	uint64_t most = r->machine.root ? NSEC / 1000 : NSEC / 20;

	if (kind->stop_ms != 0)
		most = kind->stop_ms * (NSEC / 1000);
	return !r->done || r->longest <= most + 4 * r->machine.stolen;
}

static int
by_longest(const void *a, const void *b)
{
	const uint64_t x = ((const struct result *)a)->longest;
	const uint64_t y = ((const struct result *)b)->longest;

	return (x > y) - (x < y);
}

/* One machine in ten may have a longer stop than is usual. */
static void
check_usual_stops(uint64_t n, const struct result *r)
{
	struct result *sorted = malloc(n * sizeof(*r));
	char figures[64];
	uint64_t us;

	if (sorted == NULL)
		exit(2);
	memcpy(sorted, r, n * sizeof(*r));
	qsort(sorted, n, sizeof(*sorted), by_longest);
	us = sorted[n * 9 / 10].longest / 1000;
	snprintf(figures, sizeof(figures), "%llu us", (unsigned long long)us);
	point(n < 10 || us <= kind->usual_us, "most machines have no long stop", figures);
	free(sorted);
}

static void
run_kind(uint64_t first, uint64_t n)
{
	struct result *r =
	    mmap(NULL, n * sizeof(*r), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (r == MAP_FAILED)
		exit(2);
	fflush(stdout);
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (tracing)
		run_one(first, r);
	else
		run_all(first, n, r);
	each(first, n, r, "the run ends", has_ended);
	each(first, n, r, "every process has one file, and nobody is left stopped", has_all_files);
	each(first, n, r, "ticks and what is told as not seen are the CPU time", is_total);
	each(first, n, r, "no stop is long", is_let_go_soon);
	if (kind->usual_us != 0)
		check_usual_stops(n, r);
	check_shares(n, r);
	check_warnings(n, r);
	print_figures(n, r);
	if (wants_each)
		print_each(first, n, r);
	munmap(r, n * sizeof(*r));
}

/* FIRST, or FIRST:HOW-MANY. */
static void
read_seeds(const char *text, uint64_t *first, uint64_t *n)
{
	char *at;

	*first = strtoull(text, &at, 10);
	*n = *at == ':' ? strtoull(at + 1, NULL, 10) : 1;
}

int
main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "kind", required_argument, NULL, 'k' },
		{ "trace", no_argument, NULL, 't' },
		{ "each", no_argument, NULL, 'e' },
		{ NULL, 0, NULL, 0 },
	};
	uint64_t first = 1, n = 40;
	const char *name = NULL;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 's')
			read_seeds(optarg, &first, &n);
		else if (option == 'k')
			name = optarg;
		else if (option == 't')
			tracing = true;
		else if (option == 'e')
			wants_each = true;
		else if (option == '?')
			return 2;
	}
	for (kind = kinds; kind < kinds + nkinds; kind++)
		if (name == NULL || strcmp(name, kind->name) == 0)
			run_kind(first, n);
	printf("1..%u\n", points);
	return failures != 0;
}
