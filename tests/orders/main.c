/*
 * orders [--threads=N] [--some=N] [--actions=N] [--kill=N] [--stop=N] [--sample=N] [--detach=N]
 * [--show=CHOICES]: the supervisor's dispatch, by every order of news that a program can make which
 * does so much, and to which so much is done.
 *
 * A model of ptrace has processes and threads that clone, fork, vfork, execute, end, are killed,
 * stopped and continued, sampled and let go.  At each step one of all things that can happen next
 * does: a thread does something, or the supervisor hears of one. All choices are walked, to a bound
 * on what the program and its user do.  After each walk nobody is left stopped, nothing is left in
 * a table, and each profile was finished once.
 *
 * SPDX-License-Identifier: ISC
 */
#include "orders.h"

#include <getopt.h>
#include <string.h>

enum { MOST_STEPS = 400 };

struct profsup *run;

/* What can happen at one step of a walk. */
struct choices {
	struct {
		short thread, happening;
	} of[MOST_THREADS * MOST_HAPPENINGS];
	int n;
	int waited; /* how often time had to pass before there was any */
};

/* The choices of this walk; and of the first `listed`, what there was to choose from. */
static int choice[MOST_STEPS], steps, known, listed, waited;
static struct choices list[MOST_STEPS];

static int begin_with = 1;       /* threads */
static unsigned long some, done; /* so many orders at random, where there are too many; 0: all */
static int bound, from_outside[FROM_OUTSIDE];
static const char *const names[] = { "kill", "stop", "sample", "detach" };

static void
list_choices(struct choices *c)
{
	c->n = 0;
	for (int i = 0; i < nthreads; i++)
		for (int h = 0; h < nhappenings; h++) {
			if (!happenings[h](&threads[i], false))
				continue;
			c->of[c->n].thread = (short)i;
			c->of[c->n++].happening = (short)h;
		}
}

static int
draw(int below)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return (int)((state >> 33) % (uint64_t)below);
}

static bool
carry_out(const struct choices *c, int which)
{
	if (which >= c->n)
		abort();
	return happenings[c->of[which].happening](&threads[c->of[which].thread], true);
}

/* Does one of all things that can happen.  False: there is none, for now.  Most of a walk is as in
 * the one before: what can happen there is known. */
static bool
step(void)
{
	struct choices *c = &list[steps];

	if (steps == MOST_STEPS)
		return false;
	if (steps < listed && waited < c->waited) {
		waited++;
		return false;
	}
	if (steps == listed) {
		list_choices(c);
		c->waited = waited;
		if (c->n == 0) {
			waited++;
			return false;
		}
		listed++;
	}
	if (steps == known)
		choice[known++] = some == 0 ? 0 : draw(c->n);
	waited = 0;
	return carry_out(c, choice[steps++]);
}

static void
start_thread(struct profsup *ps, struct tracee *t, bool new)
{
	(void)ps;
	(void)t;
	(void)new;
}

static void
end_thread(struct profsup *ps, struct tracee *t)
{
	(void)ps;
	(void)t;
}

static const struct sampler none = {
	.name = "none",
	.start_thread = start_thread,
	.end_thread = end_thread,
};

/* Time passes: what waits for that is done. */
static void
wait_long(void)
{
	now += 4 * NSEC;
	dispatch_held(run);
	births_alone(run);
	if (run->detach_at != 0)
		detach_all(run);
}

static void
begin_walk(void)
{
	static unsigned wakes;

	memset(threads, 0, sizeof(threads));
	nthreads = 0;
	now = NSEC;
	steps = waited = 0;
	actions = bound;
	memcpy(outside, from_outside, sizeof(outside));
	let_go = ran_stopped = false;
	begun = finished = dropped = 0;
	run = calloc(1, sizeof(*run));
	if (run == NULL)
		exit(2);
	run->sampler = &none;
	run->period = run->tick.interval = NSEC / 100;
	run->cpus = 1;
	run->front.pidfd = -1;
	run->front.wakes = run->front.asked = &wakes;
	begin_profile(proc_add(run, FIRST));
	for (int i = 0; i < begin_with; i++)
		tracee_add(run, tid_of(new_thread(i == 0 ? -1 : 0, -1)), run->procs)->birth.past =
		    true;
}

/* Returns what is wrong at the end of a walk; NULL: nothing. */
static const char *
look(void)
{
	for (int i = 0; i < nthreads; i++)
		if (threads[i].life != GONE)
			return "a thread is left behind";
	if (ran_stopped)
		return "a thread runs in a process that is stopped";
	/* When all have been let go, waitpid(2) tells that there is none, whatever the table has.
	 */
	if (!let_go && (run->tracees != NULL || run->procs != NULL))
		return "a tracee is left in a table";
	if (run->unclaimed != 0 || run->held != NULL)
		return "a tracee is held, or unclaimed";
	if (begun != finished + dropped)
		return finished + dropped < begun ? "a profile is lost"
		                                  : "a profile is written twice";
	return NULL;
}

static const char *
walk(void)
{
	const char *wrong;

	begin_walk();
	for (int quiet = 0; quiet < 3; quiet++) {
		while (step())
			quiet = 0;
		wait_long();
	}
	wrong = look();
	if (wrong == NULL)
		free(run);
	return wrong;
}

/* Goes to the next order.  False: there is none. */
static bool
next(void)
{
	if (some != 0) {
		known = listed = 0;
		return ++done < some;
	}
	while (known > 0 && choice[known - 1] + 1 >= list[known - 1].n)
		known--;
	if (known == 0)
		return false;
	choice[known - 1]++;
	listed = known;
	return true;
}

static void
print_bounds(void)
{
	printf("--threads=%d --actions=%d", begin_with, bound);
	for (int i = 0; i < FROM_OUTSIDE; i++)
		if (from_outside[i] != 0)
			printf(" --%s=%d", names[i], from_outside[i]);
}

static void
print_order(const char *wrong)
{
	printf("# build/tests/orders ");
	print_bounds();
	printf(" --show=");
	for (int i = 0; i < steps; i++)
		printf("%s%d", i == 0 ? "" : ",", choice[i]);
	printf(": %s\n", wrong);
}

static void
take_choices(char *text)
{
	for (char *at = strtok(text, ","); at != NULL && known < MOST_STEPS; at = strtok(NULL, ","))
		choice[known++] = (int)strtol(at, NULL, 10);
}

/* Returns whether the options are good. */
static bool
take_options(int argc, char **argv)
{
	static const struct option options[] = {
		{ "kill", required_argument, NULL, KILL },
		{ "stop", required_argument, NULL, STOP },
		{ "sample", required_argument, NULL, SAMPLE },
		{ "detach", required_argument, NULL, DETACH },
		{ "threads", required_argument, NULL, 't' },
		{ "some", required_argument, NULL, 'n' },
		{ "actions", required_argument, NULL, 'a' },
		{ "show", required_argument, NULL, 's' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'a')
			bound = (int)strtol(optarg, NULL, 10);
		else if (option == 'n')
			some = strtoul(optarg, NULL, 10);
		else if (option == 't')
			begin_with = (int)strtol(optarg, NULL, 10);
		else if (option == 's')
			take_choices(optarg);
		else if (option < FROM_OUTSIDE)
			from_outside[option] = (int)strtol(optarg, NULL, 10);
		else
			return false;
		showing |= option == 's';
	}
	return true;
}

int
main(int argc, char **argv)
{
	unsigned long walks = 0, wrong = 0;

	if (!take_options(argc, argv))
		return 2;
	do {
		const char *what = walk();

		walks++;
		if (what != NULL && wrong++ < 3)
			print_order(what);
	} while (!showing && next());
	printf("%sok 1 - %lu orders of ", wrong == 0 ? "" : "not ", walks);
	print_bounds();
	printf("\n1..1\n");
	return wrong != 0;
}
