/*
 * sim [--seed=FIRST[:N]] [--kind=NAME] [--each] [--trace]: runs the supervisor on simulated
 * machines, and compares what it has booked with what was.  TAP: one point for each kind and check,
 * with the seeds that fail.  --figures [--machine=CPUS:TICK:SLICE:DEAR] [--beside=N]: for
 * calibrate.sh.
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
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a run was, in figures. */
struct result {
	struct machine machine;
	bool done;
	uint64_t used, ticks, own, urgent, longest, took;
	struct stats stats;
	uint64_t
	    worst; /* by how much the ticks of a process are too many or too few, periods * 100 */
	unsigned files;   /* that were not written once */
	unsigned stopped; /* threads that were left stopped */
	unsigned wrong_calls, lost_calls, lost_files, early;
	uint64_t held, waited, kept;
	double spent[FUNCTIONS], booked[FUNCTIONS]; /* parts of all */
};

const struct kind *kind;

/* --machine, --beside: the machine that is to be, and how many busy threads each CPU has. */
static char *wanted;
static unsigned beside;

/* CPUS:TICK:SLICE:DEAR, times in us; the rest is usual. */
static void
be_that_machine(char *text)
{
	machine = (struct machine){
		.interrupt = 10000,
		.slow = NSEC / 1000,
		.slow_in_1000 = 5,
		.switching = 1500,
		.timer = 5000,
		.file = NSEC / 2000,
		.root = !kind->plain,
		.short_slices = true,
		.autogroup = true,
		.files_frozen_at = UINT64_MAX,
		.files_thawed_at = UINT64_MAX,
	};
	machine.cpus = (unsigned)strtoul(text, &text, 10);
	machine.tick = 1000 * strtoul(text + 1, &text, 10);
	machine.slice = 1000 * strtoul(text + 1, &text, 10);
	machine.dear = (unsigned)strtoul(text + 1, NULL, 10);
}

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
		.autogroup = kind->autogroup,
		.files_frozen_at = UINT64_MAX,
		.files_thawed_at = UINT64_MAX,
	};
	if (kind->late == LATE_MEMORY) {
		machine.memory_late = NSEC / 500 + engine_random(NSEC / 20);
		machine.memory_late_in_1000 = (unsigned)engine_random(1000);
	}
	if (kind->late == LATE_FILES && engine_random(3) == 0) {
		machine.files_late = NSEC / 2;
	} else if (kind->late == LATE_FILES) {
		machine.files_frozen_at = now + engine_random(NSEC / 10);
		if (engine_random(4) != 0)
			machine.files_thawed_at = machine.files_frozen_at + engine_random(6 * NSEC);
		machine.files_hang = engine_random(2) != 0;
	}
	if (kind->quota)
		machine.quota = NSEC / 50 + engine_random(NSEC / 20);
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
	proc->profile->place->owner = OWNER_CALLER;
	proc->profile->mode.on = true;
	proc->profile->mode.toggles = 1;
	counts_set_range(&proc->profile->counts, FUNCTIONS * FUNCTION_BYTES, FUNCTION_BYTES,
	                 PROFSUP_SCALE_ONE);
	if (kind->late != NEVER_LATE)
		late_begin(proc);
	for (const struct thread *t = threads; t != NULL; t = t->next)
		if (t->process == p)
			tracee_add(ps, t->tid, proc)->birth.past = true;
	return proc;
}

static struct profsup *run;

static void *
supervise(void *arg)
{
	static unsigned wakes;
	struct profsup *ps = run = calloc(1, sizeof(*ps));

	(void)arg;
	ps->opt.hz = kind->hz;
	ps->opt.sampler = kind->perf ? SAMPLER_PERF : SAMPLER_PTRACE;
	ps->opt.delay_ms = 0;
	ps->opt.template = "gmon.%p";
	log_init(true, false);
	ps->outdir = ps->stats_fd = ps->control.commands = ps->control.answers = -1;
	ps->front.pid = 1;
	ps->front.wakes = ps->front.asked = &wakes;
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
	late_finish(ps);
	output_wait(ps);
	return NULL;
}

/* What of a process was late. */
static void
note_late(struct result *r, const struct process *p)
{
	const bool never = p->thawed_at == UINT64_MAX;

	for (int i = 0; i < FUNCTIONS; i++)
		r->wrong_calls +=
		    p->told[i] > p->calls[i] || (p->told[i] < p->calls[i] && !p->calls_lost);
	r->early += p->early;
	r->lost_calls += p->calls_lost && !(p->frozen_at != UINT64_MAX && never);
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
		r->files += p->files > 1 || p->encoded > 1 || (p->files == 0 && !p->file_lost);
		r->lost_files += p->file_lost;
		r->used += p->used;
		for (int i = 0; i < FUNCTIONS; i++) {
			ticks += p->booked[i];
			r->spent[i] += (double)p->spent[i];
			r->booked[i] += (double)p->booked[i];
		}
		all += ticks;
		note_late(r, p);
	}
	all += run->stats.outside;
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
		r->urgent += t->urgent;
		r->kept += t->process == NULL || t->process->bystander ? 0 : t->kept;
		if (t->longest > r->longest)
			r->longest = t->longest;
		if (t->held > r->held)
			r->held = t->held;
	}
}

/* Runs in a process of its own. */
static void
run_one(uint64_t seed, struct result *r)
{
	uint64_t began;

	engine_seed(seed);
	if (wanted != NULL)
		be_that_machine(wanted);
	else
		be_some_machine();
	r->machine = machine;
	now += engine_random(NSEC);
	began = now;
	sched_begin();
	ours_start(supervise, NULL);
	kind->make();
	kinds_beside(beside);
	engine_run();
	r->took = now - began;
	r->stats = run->stats;
	r->waited = waited_in_vain;
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

static bool wants_each, wants_row;
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

/* A tick is a stop's, or a sample's of the kernel's, which stands for 3 % more; or it is told as
 * late, for want of a sample maybe. */
static bool
tells_what_is_late(const struct result *r)
{
	const struct stats *st = &r->stats;
	const uint64_t seen = kind->perf ? st->samples + st->samples / 25 : st->stops;

	return st->unfound <= st->late && st->late <= st->ticks && st->ticks - st->late <= seen;
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
		printf(" waited %.1f of %.1f ms,", (double)r[i].waited / 1e6,
		       (double)r[i].took / 1e6);
		printf(" held %.1f ms, worst %llu, %u files lost, %u calls %u,",
		       (double)r[i].held / 1e6, (unsigned long long)r[i].worst, r[i].lost_files,
		       r[i].wrong_calls, r[i].lost_calls);
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

/* --figures: what calibrate.sh compares.  Means of all machines: the share of the function that is
 * a call, as it was and as it was booked, samples and late ticks of 100, what a stop takes, and our
 * CPU time, per cent of the program's. */
static void
print_row(uint64_t n, const struct result *r)
{
	double spent = 0, booked = 0, samples = 0, late = 0, stop = 0, own = 0;
	unsigned call = 0;

	while (kind->script[call].op == OP_RUN)
		call++;
	for (uint64_t i = 0; i < n; i++) {
		const struct stats *st = &r[i].stats;
		const double ticks = (double)(st->ticks + (st->ticks == 0));

		spent += 100 * r[i].spent[kind->script[call].function] / (double)n;
		booked += 100 * r[i].booked[kind->script[call].function] / (double)n;
		samples += 100.0 * (double)st->samples / ticks / (double)n;
		late += 100.0 * (double)st->late / ticks / (double)n;
		own += 100 * (double)r[i].own / (double)(r[i].used + 1) / (double)n;
		stop +=
		    (double)st->stopped / (double)(st->stops + (st->stops == 0)) / 1e3 / (double)n;
	}
	printf("%s %.1f %.1f %.0f %.0f %.1f %.1f\n", kind->name, spent, booked, samples, late, stop,
	       own);
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
	if (kind->samples != 0)
		point(samples >= kind->samples, "enough ticks are samples", "");
	if (kind->unseen != 0)
		point(unseen <= kind->unseen, "few ticks are not seen", "");
	if (kind->own != 0)
		point(own <= kind->own, "it takes little CPU time", "");
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

/* The supervisor may use a sixteenth of a CPU before all others, 2 ms at once, and 2 ms of debt;
 * and 4 ms are for what had begun before the debt was seen. */
static bool
leaves_cpus_to_others(const struct result *r)
{
	return r->urgent <= r->took / 16 + 8 * (NSEC / 1000);
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

/* What stops are said to have cost is no less than they took, but for the resume itself, and no
 * more than that and what we did for them meanwhile.  What a host takes is in it, and so is a
 * quota's wait. */
static void
check_price(uint64_t n, const struct result *r)
{
	double told = 0, least = 0, most = 0;
	char figures[64];

	for (uint64_t i = 0; i < n; i++) {
		told += (double)r[i].stats.stopped / NSEC;
		least += (double)r[i].kept / NSEC;
		most += (double)(r[i].kept + r[i].own) / NSEC;
	}
	snprintf(figures, sizeof(figures), "%.4f s, %.4f to %.4f", told, least, most);
	point(n < 10 ||
	          (told >= 0.95 * least && (kind->steal || kind->quota || told <= 1.1 * most)),
	      "the price is told", figures);
}

/* A program has its calls in its file, or the user is told; none is there twice. */
static bool
has_all_calls(const struct result *r)
{
	return r->wrong_calls == 0 && r->lost_calls == 0;
}

static bool
has_all_that_can_be(const struct result *r)
{
	const uint64_t frozen = r->machine.files_thawed_at - r->machine.files_frozen_at;

	return r->lost_files == 0 || (r->machine.files_frozen_at != UINT64_MAX &&
	                              (r->machine.files_thawed_at == UINT64_MAX ||
	                               (r->machine.files_hang && frozen > 2 * NSEC)));
}

/* The last stop of a process waits for its memory for 15 s, and for a file of a disk's for one. */
static bool
is_not_held_long(const struct result *r)
{
	uint64_t most = NSEC / 5;

	if (kind->late == LATE_MEMORY)
		most += 15 * NSEC;
	else if (!r->machine.files_hang)
		most += NSEC;
	return r->held <= most;
}

/* Who waits for a process's end finds its file. */
static bool
has_files_in_time(const struct result *r)
{
	return r->early == 0 || r->machine.files_hang || r->machine.files_frozen_at != UINT64_MAX;
}

/* Of the supervisor's time a tenth may be spent in vain, and 20 ms at once; and 40 ms are for waits
 * for a worker thread that waits for a CPU, as it does without priority: then the memory is not
 * late.
 */
static bool
waits_little(const struct result *r)
{
	return !r->machine.root || r->waited <= r->took / 10 + 60 * (NSEC / 1000);
}

static void
check_late(uint64_t first, uint64_t n, const struct result *r)
{
	each(first, n, r, "calls are in the file, or told as lost, and none twice", has_all_calls);
	each(first, n, r, "no file is lost that can be made", has_all_that_can_be);
	each(first, n, r, "a process ends when its file is there", has_files_in_time);
	each(first, n, r, "little time is waited in vain", waits_little);
	each(first, n, r, "no end is held up for long", is_not_held_long);
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
	if (wants_row) {
		print_row(n, r);
		munmap(r, n * sizeof(*r));
		return;
	}
	each(first, n, r, "the run ends", has_ended);
	each(first, n, r, "every process has one file, and nobody is left stopped", has_all_files);
	each(first, n, r, "ticks and what is told as not seen are the CPU time", is_total);
	each(first, n, r, "ticks without a stop of theirs are told", tells_what_is_late);
	each(first, n, r, "no stop is long", is_let_go_soon);
	each(first, n, r, "others have their CPUs", leaves_cpus_to_others);
	if (kind->late != NEVER_LATE)
		check_late(first, n, r);
	if (kind->usual_us != 0)
		check_usual_stops(n, r);
	if (!kind->perf)
		check_price(n, r);
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
		{ "figures", no_argument, NULL, 'f' },
		{ "machine", required_argument, NULL, 'm' },
		{ "beside", required_argument, NULL, 'b' },
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
		else if (option == 'f')
			wants_row = true;
		else if (option == 'm')
			wanted = optarg;
		else if (option == 'b')
			beside = (unsigned)strtoul(optarg, NULL, 10);
		else if (option == '?')
			return 2;
	}
	for (kind = kinds; kind < kinds + nkinds; kind++)
		if (name == NULL || strcmp(name, kind->name) == 0)
			run_kind(first, kind->costly && name == NULL ? (n + 4) / 5 : n);
	if (!wants_row)
		printf("1..%u\n", points);
	return failures != 0;
}
