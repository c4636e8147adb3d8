/*
 * Programs, and how they are run: what the simulation decides of.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sim.h"

#define US 1000UL
#define MS 1000000UL

/* By how many points the share of a function may be off on average: goals, and what is known to be
 * worse and why. */
#define FAIR_SHARE 0.5
/* A stop that comes from another CPU takes longer than the way to the next call, so what comes
 * right behind a call is never found (CAVEATS: without real-time priority). */
#define PLAIN_CALLS 18.0
/* The same where calls are few: on 3,000 machines 1.3 points (standard error 0.06). */
#define PLAIN_ALONE 1.5
/* The kernel tells a thread's time in calls to 10 ms, so much that short a program may have too
 * much there. */
#define PLAIN_FORKS 14.0
/* A plain user's supervisor in a crowd comes when a thread has left its CPU, mostly in its own
 * time.  On 6,000 machines, beside twenty, with a quota and with late memory: 1.46 to 1.68 points
 * (0.07). */
#define PLAIN_CROWD 2.0
/* A thread that binds itself to one CPU after another is found less often than its due where it
 * stays for longer.  Beside others each tick has the scheduler choose anew, and one that has waited
 * is chosen: where it works for less than half a period it is done before the next tick.  On 1,249
 * machines: 2.4 points alone (standard error 0.2), 10.6 beside others (0.5), 17.3 of a plain user's
 * (1.0). */
#define HOPS_ALONE 2.5
#define HOPS       12.0
#define PLAIN_HOPS 19.0
/* Where the program's news use up our share of a CPU, ticks pass, which are those behind the news.
 */
#define BUSY_NEWS 3.0
#define MUCH_NEWS 4.0 /* late files: 3.8 on 6,000 machines (0.15) */
/* A thread that perf finds is one that has used a whole period: on 6,000 machines 0.78 points
 * (0.05). */
#define PERF_CLONES 1.0
/* A stop takes a third of the time between two: on 6,000 machines 0.69 points (0.07). */
#define FAST 1.0
/* What a burst has used is booked where a sample finds it: late in it, more is owed. */
#define BURSTS 2.0
/* The first sample of each process comes when it has used a whole period (CAVEATS: short processes
 * by perf). */
#define PERF_FORKS 9.0

/* Work of various lengths, and a call now and then. */
static const struct step mixed[] = {
	{ OP_RUN, 0, 300 * US, 50, NULL }, { OP_RUN, 1, 120 * US, 50, NULL },
	{ OP_CALL, 2, 20 * US, 50, NULL }, { OP_RUN, 3, 45 * US, 90, NULL },
	{ OP_END, 0, 0, 0, NULL },
};

/* A short call between two short pieces of work: where a late stop is seen best. */
static const struct step short_calls[] = {
	{ OP_RUN, 0, 6 * US, 5, NULL },                                  /* before */
	{ OP_CALL, 1, 400, 10, NULL },   { OP_RUN, 2, 6 * US, 5, NULL }, /* after */
	{ OP_RUN, 3, 12 * US, 5, NULL },                                 /* far */
	{ OP_END, 0, 0, 0, NULL },
};
static const struct step rare_calls[] = {
	{ OP_RUN, 0, 60 * US, 10, NULL }, { OP_CALL, 1, 5 * US, 10, NULL },
	{ OP_RUN, 2, 60 * US, 10, NULL }, { OP_RUN, 3, 125 * US, 10, NULL },
	{ OP_END, 0, 0, 0, NULL },
};

/* It works for a moment, and sleeps. */
static const struct step sleeper[] = {
	{ OP_RUN, 0, 150 * US, 60, NULL },   { OP_RUN, 1, 90 * US, 60, NULL },
	{ OP_SLEEP, 2, 700 * US, 80, NULL }, { OP_RUN, 3, 60 * US, 60, NULL },
	{ OP_END, 0, 0, 0, NULL },
};

/* It works on one CPU, and a third as long on the next one. */
static const struct step hopper[] = {
	{ OP_RUN, 0, 300 * US, 20, NULL }, { OP_HOP, 1, 3 * US, 20, NULL },
	{ OP_RUN, 2, 100 * US, 20, NULL }, { OP_HOP, 3, 3 * US, 20, NULL },
	{ OP_END, 0, 0, 0, NULL },
};

static const struct step busy[] = {
	{ OP_RUN, 0, MS, 50, NULL },
	{ OP_END, 0, 0, 0, NULL },
};

/* Threads and processes that come and go. */
static const struct step child[] = {
	{ OP_RUN, 3, 2600 * US, 60, NULL },
	{ OP_CALL, 4, 30 * US, 50, NULL },
	{ OP_RUN, 5, 900 * US, 60, NULL },
	{ OP_EXIT, 6, 0, 0, NULL },
};
static const struct step forks[] = {
	{ OP_RUN, 0, 700 * US, 50, NULL },
	{ OP_FORK, 1, 0, 0, child },
	{ OP_RUN, 2, 800 * US, 50, NULL },
	{ OP_END, 0, 0, 0, NULL },
};
/* Our work for threads that are soon gone takes as much CPU time as we may have before others. */
static const struct step brief[] = {
	{ OP_RUN, 3, 30 * US, 50, NULL },
	{ OP_EXIT, 6, 0, 0, NULL },
};
static const struct step news[] = {
	{ OP_RUN, 0, 300 * US, 50, NULL },
	{ OP_CLONE, 1, 0, 0, brief },
	{ OP_RUN, 2, 300 * US, 50, NULL },
	{ OP_END, 0, 0, 0, NULL },
};
static const struct step clones[] = {
	{ OP_RUN, 0, 700 * US, 50, NULL },
	{ OP_CLONE, 1, 0, 0, child },
	{ OP_RUN, 2, 800 * US, 50, NULL },
	{ OP_END, 0, 0, 0, NULL },
};

static struct process *
add(const struct step *script, uint64_t until, unsigned n)
{
	struct process *p = tracees_process(until, kind->session);

	for (unsigned i = 0; i < n; i++)
		tracees_new(p, script)->cpu = (int)engine_random(machine.cpus);
	return p;
}

static void
add_alone(void)
{
	add(kind->script, kind->ms * MS, 1);
}

/* Processes, so many for each CPU. */
static void
add_crowd(void)
{
	for (unsigned i = 0; i < kind->crowd * machine.cpus; i++)
		add(kind->script, kind->ms * MS / kind->crowd / machine.cpus, 1);
}

static void
add_bystander(void)
{
	struct process *p = tracees_process(0, BYSTANDERS);

	p->bystander = true;
	tracees_new(p, busy)->cpu = (int)engine_random(machine.cpus);
}

/* One process, beside so many bystanders for each CPU. */
static void
add_beside(void)
{
	for (unsigned i = 0; i < kind->crowd * machine.cpus; i++)
		add_bystander();
	add(kind->script, kind->ms * MS, 1);
}

static void
add_threads(void)
{
	add(kind->script, kind->ms * MS, kind->crowd * machine.cpus);
}

const struct kind kinds[] = {
	{ "alone", "one thread, 1,000 Hz", add_alone, mixed, .ms = 400, .hz = 1000,
	  .bias = FAIR_SHARE, .samples = 95, .own = 5 },
	{ "alone-plain", "the same, of a plain user", add_alone, mixed, .ms = 400, .hz = 1000,
	  .plain = true, .bias = PLAIN_ALONE },
	{ "alone-100", "one thread, 100 Hz", add_alone, mixed, .ms = 2000, .hz = 100,
	  .bias = FAIR_SHARE },
	{ "alone-perf", "one thread, perf", add_alone, mixed, .ms = 400, .hz = 1000, .perf = true,
	  .plain = true, .bias = FAIR_SHARE },
	{ "calls", "a call every 25 us", add_alone, short_calls, .ms = 200, .hz = 1000,
	  .bias = FAIR_SHARE },
	{ "calls-plain", "the same, of a plain user", add_alone, short_calls, .ms = 200, .hz = 1000,
	  .plain = true, .bias = PLAIN_CALLS },
	{ "calls-perf", "the same, perf", add_alone, short_calls, .ms = 200, .hz = 1000,
	  .perf = true, .plain = true, .bias = FAIR_SHARE },
	{ "rare-calls", "a call every 250 us", add_alone, rare_calls, .ms = 400, .hz = 1000,
	  .bias = FAIR_SHARE },
	{ "sleeper", "it works for 300 us, and sleeps", add_alone, sleeper, .ms = 200, .hz = 1000,
	  .bias = BURSTS },
	{ "crowd-2", "two processes for each CPU", add_crowd, mixed, .ms = 600, .hz = 1000,
	  .crowd = 2, .bias = FAIR_SHARE, .stop_ms = 20 },
	{ "crowd-4", "four processes for each CPU", add_crowd, mixed, .ms = 600, .hz = 1000,
	  .crowd = 4, .bias = FAIR_SHARE, .stop_ms = 30, .usual_us = 6000 },
	{ "crowd-4-plain", "the same, of a plain user", add_crowd, mixed, .ms = 600, .hz = 1000,
	  .crowd = 4, .plain = true, .bias = PLAIN_CROWD },
	{ "crowd-calls", "four for each CPU, a call every 25 us", add_crowd, short_calls, .ms = 400,
	  .hz = 1000, .crowd = 4, .bias = FAIR_SHARE, .stop_ms = 30 },
	{ "crowd-calls-plain", "the same, of a plain user", add_crowd, short_calls, .ms = 400,
	  .hz = 1000, .crowd = 4, .plain = true, .bias = PLAIN_CALLS },
	{ "threads-4", "four threads for each CPU", add_threads, mixed, .ms = 600, .hz = 1000,
	  .crowd = 4, .bias = FAIR_SHARE },
	{ "beside", "beside two bystanders for each CPU", add_beside, mixed, .ms = 200, .hz = 1000,
	  .crowd = 2, .bias = FAIR_SHARE },
	{ "beside-plain", "the same, of a plain user", add_beside, mixed, .ms = 200, .hz = 1000,
	  .crowd = 2, .plain = true, .bias = PLAIN_CROWD },
	{ "beside-20", "beside twenty", add_beside, mixed, .ms = 100, .hz = 1000, .crowd = 20,
	  .bias = FAIR_SHARE, .samples = 30, .own = 20 },
	{ "beside-20-plain", "the same, of a plain user", add_beside, mixed, .ms = 100, .hz = 1000,
	  .crowd = 20, .plain = true, .bias = PLAIN_CROWD, .stop_ms = 120, .samples = 17,
	  .own = 14 },
	{ "hops", "a thread that goes from CPU to CPU", add_alone, hopper, .ms = 200, .hz = 1000,
	  .bias = HOPS_ALONE, .samples = 80 },
	{ "hops-beside", "the same beside two bystanders for each CPU", add_beside, hopper,
	  .ms = 100, .hz = 1000, .crowd = 2, .bias = HOPS, .samples = 38 },
	{ "hops-beside-plain", "the same, of a plain user", add_beside, hopper, .ms = 100,
	  .hz = 1000, .crowd = 2, .plain = true, .bias = PLAIN_HOPS, .samples = 15 },
	{ "forks", "processes of 3.5 ms", add_alone, forks, .ms = 60, .hz = 1000, .bias = BUSY_NEWS,
	  .stop_ms = 20, .usual_us = 6000 },
	{ "forks-plain", "the same, of a plain user", add_alone, forks, .ms = 60, .hz = 1000,
	  .plain = true, .bias = PLAIN_FORKS },
	{ "forks-perf", "the same, perf", add_alone, forks, .ms = 60, .hz = 1000, .perf = true,
	  .plain = true, .bias = PERF_FORKS },
	{ "clones", "threads of 3.5 ms", add_alone, clones, .ms = 200, .hz = 1000,
	  .bias = BUSY_NEWS, .stop_ms = 4 },
	{ "clones-perf", "the same, perf", add_alone, clones, .ms = 200, .hz = 1000, .perf = true,
	  .plain = true, .bias = PERF_CLONES },
	{ "news", "threads of 30 us", add_alone, news, .ms = 300, .hz = 1000, .bias = MUCH_NEWS,
	  .samples = 32 },
	{ "crowd-perf", "four processes for each CPU, perf", add_crowd, mixed, .ms = 600,
	  .hz = 1000, .crowd = 4, .perf = true, .plain = true, .bias = FAIR_SHARE },
	{ "steal", "a host that takes its CPUs away", add_alone, mixed, .ms = 400, .hz = 1000,
	  .steal = true, .bias = FAIR_SHARE },
	{ "steal-plain", "the same, of a plain user", add_alone, mixed, .ms = 400, .hz = 1000,
	  .plain = true, .steal = true, .bias = PLAIN_ALONE },
	{ "steal-perf", "the same, perf", add_alone, mixed, .ms = 400, .hz = 1000, .perf = true,
	  .plain = true, .steal = true, .bias = FAIR_SHARE },
	{ "steal-crowd", "four for each CPU, and such a host", add_crowd, mixed, .ms = 600,
	  .hz = 1000, .crowd = 4, .steal = true, .bias = FAIR_SHARE, .stop_ms = 80 },
	{ "quota-plain", "one thread of a control group that may use 20 to 70 % of a CPU",
	  add_alone, mixed, .ms = 600, .hz = 1000, .plain = true, .quota = true,
	  .bias = PLAIN_ALONE, .stop_ms = 210, .samples = 75, .unseen = 1 },
	{ "quota-threads", "two threads for each CPU in such a group", add_threads, mixed,
	  .ms = 600, .hz = 1000, .crowd = 2, .plain = true, .quota = true, .bias = PLAIN_CROWD,
	  .stop_ms = 210, .samples = 15, .unseen = 80 },
	{ "crowd-32", "32 processes for each CPU", add_crowd, mixed, .ms = 2000, .hz = 1000,
	  .crowd = 32, .bias = FAIR_SHARE, .stop_ms = 200, .usual_us = 45000, .samples = 4,
	  .unseen = 15 },
	{ "threads-32", "32 threads for each CPU", add_threads, mixed, .ms = 2000, .hz = 1000,
	  .crowd = 32, .bias = FAIR_SHARE, .stop_ms = 60, .samples = 7 },
	/* More threads than a tick can look at. */
	{ "threads-100", "100 threads for each CPU", add_threads, mixed, .ms = 10000, .hz = 1000,
	  .crowd = 100, .costly = true, .bias = FAIR_SHARE, .stop_ms = 100, .samples = 2 },
	{ "session-plain", "one thread, of another session than the plain user's supervisor",
	  add_alone, mixed, .ms = 400, .hz = 1000, .plain = true, .autogroup = true,
	  .session = THEIRS, .bias = PLAIN_ALONE, .samples = 78 },
	/* On one of 4,000 machines the supervisor has used up its share while a thread stops, and
	 * waits its turn among them all. */
	{ "session-crowd", "four processes for each CPU, of another session", add_crowd, mixed,
	  .ms = 600, .hz = 1000, .crowd = 4, .autogroup = true, .session = THEIRS,
	  .bias = FAIR_SHARE, .stop_ms = 80, .usual_us = 6000, .samples = 25 },
	/* On one of 4,000 machines we come to a CPU that a thread of another session has got at
	 * that moment, and wait as long as the watcher lets us. */
	{ "session-crowd-plain", "the same, of a plain user", add_crowd, mixed, .ms = 600,
	  .hz = 1000, .crowd = 4, .plain = true, .autogroup = true, .session = THEIRS,
	  .bias = PLAIN_CROWD, .stop_ms = 110, .samples = 15 },
	{ "session-beside", "two bystanders of another session for each CPU", add_beside, mixed,
	  .ms = 200, .hz = 1000, .crowd = 2, .autogroup = true, .bias = FAIR_SHARE, .stop_ms = 2,
	  .samples = 95 },
	{ "session-beside-plain", "the same, of a plain user", add_beside, mixed, .ms = 200,
	  .hz = 1000, .crowd = 2, .plain = true, .autogroup = true, .bias = PLAIN_CROWD,
	  .stop_ms = 10, .samples = 25 },
	{ "session-three", "programs, bystanders and a plain user's supervisor are apart",
	  add_beside, mixed, .ms = 200, .hz = 1000, .crowd = 2, .plain = true, .autogroup = true,
	  .session = THEIRS, .bias = PLAIN_CROWD, .stop_ms = 10, .samples = 35 },
	{ "asked-memory", "one thread, whose memory is read at each tick", add_alone, mixed,
	  .ms = 1000, .hz = 250, .late = ASKED_MEMORY, .bias = FAIR_SHARE, .samples = 95 },
	{ "late-memory", "four for each CPU, whose memory answers late or never", add_crowd, mixed,
	  .ms = 800, .hz = 1000, .crowd = 4, .late = LATE_MEMORY, .bias = FAIR_SHARE, .stop_ms = 30,
	  .samples = 9 },
	{ "late-memory-plain", "the same, of a plain user", add_crowd, mixed, .ms = 800, .hz = 1000,
	  .crowd = 4, .plain = true, .late = LATE_MEMORY, .bias = PLAIN_CROWD, .stop_ms = 35,
	  .samples = 8 },
	{ "late-files", "processes of 3.5 ms, files that are made late or never", add_alone, forks,
	  .ms = 60, .hz = 1000, .late = LATE_FILES, .bias = MUCH_NEWS, .stop_ms = 20,
	  .samples = 10 },
	{ "late-files-plain", "the same, of a plain user", add_alone, forks, .ms = 60, .hz = 1000,
	  .plain = true, .late = LATE_FILES, .bias = PLAIN_FORKS, .stop_ms = 20, .samples = 8 },
	{ "alone-10k", "one thread, 10,000 Hz", add_alone, mixed, .ms = 100, .hz = 10000,
	  .bias = FAST },
};

/* So many busy threads of another session for each CPU. */
void
kinds_beside(unsigned n)
{
	for (unsigned i = 0; i < n * machine.cpus; i++)
		add_bystander();
}

const size_t nkinds = sizeof(kinds) / sizeof(kinds[0]);
