/*
 * Turns CPU time into ticks: what a thread has used since its last sample is booked as whole
 * periods; the rest stays owed, so that nothing is lost whatever the rate.
 *
 * The first tick of a thread comes early or late, by where its first period begins.  Of many
 * threads that is to come to nothing, also if they began together and each uses less than a period:
 * a process has no more than AHEAD ticks more than it has used, and what its threads leave unpaid
 * at their ends is paid as soon as that makes a tick.  So it is with a run and its processes.
 * Pure.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

/* How many looks count most. */
enum { LATELY = 4 };
enum { AHEAD = 2 };

/* Returns what a new thread owes to begin with.  `until_tick`: ns until the next tick, by which its
 * first period is full if it runs until then.  If that tick is much too late, nothing is known of
 * where in its period the thread starts, and `chance` decides. */
int64_t
owed_lead(uint64_t period, int64_t until_tick, uint64_t chance)
{
	if (until_tick < -(int64_t)(period / 2))
		return (int64_t)(chance % period);
	return (int64_t)period - (until_tick > 0 ? until_tick : 0);
}

/* The first period begins with `lead` ns that count as used. */
void
owed_begin(struct owed *o, int64_t lead)
{
	o->debt = o->lead = lead;
}

/* CPU time used until now is not owed. */
void
owed_forgive(struct owed *o, const struct thread_time *time)
{
	o->seen.cpu = time->cpu;
}

/* CPU time used until now is owed.  False: the account is behind what was seen of it. */
bool
owed_add(struct owed *o, struct owed_sum *sum, const struct thread_time *time)
{
	uint64_t used;

	if (time->cpu < o->seen.cpu)
		return false;
	used = time->cpu - o->seen.cpu;
	o->ran_lately -= o->ran_lately / LATELY;
	o->ran_lately += used;
	o->waited_lately -= o->waited_lately / LATELY;
	/* Of a thread that has execed under its leader's id less may be known. */
	o->waited_lately += time->waited > o->seen.waited ? time->waited - o->seen.waited : 0;
	o->debt += (int64_t)used;
	for (; sum != NULL; sum = sum->of)
		sum->all += (int64_t)used;
	o->seen = *time;
	return true;
}

static uint64_t
whole(int64_t ns, uint64_t period)
{
	return ns < 0 ? 0 : (uint64_t)ns / period;
}

/* Returns how many of these ticks may be booked. */
static uint64_t
fit(const struct owed_sum *sum, uint64_t period, uint64_t ticks)
{
	for (; sum != NULL; sum = sum->of) {
		const uint64_t room = whole(sum->all + (int64_t)(AHEAD * period), period);

		if (ticks > room)
			ticks = room;
	}
	return ticks;
}

static void
pay(int64_t *debt, struct owed_sum *sum, uint64_t ns)
{
	*debt -= (int64_t)ns;
	for (; sum != NULL; sum = sum->of)
		sum->all -= (int64_t)ns;
}

/* Returns the whole periods that are owed, less `left`, and not more than `most`, or than the
 * process may have; the rest stays owed. */
uint64_t
owed_take(struct owed *o, struct owed_sum *sum, uint64_t period, uint64_t left, uint64_t most)
{
	const uint64_t owed = whole(o->debt, period);
	uint64_t taken = owed <= left ? 0 : owed - left;

	taken = fit(sum, period, taken < most ? taken : most);
	pay(&o->debt, sum, taken * period);
	return taken;
}

/* Returns the whole periods of what others have left, `dither` ns more, that may be booked. */
static uint64_t
take_left(struct owed_sum *sum, uint64_t period, uint64_t dither)
{
	const uint64_t taken = fit(sum, period, whole(sum->ended + (int64_t)dither, period));

	pay(&sum->ended, sum, taken * period);
	return taken;
}

/* The same when the thread ends, with what others have left. */
uint64_t
owed_end(struct owed *o, struct owed_sum *sum, uint64_t period)
{
	const uint64_t taken = owed_take(o, sum, period, 0, UINT64_MAX);

	sum->ended += o->debt - o->lead;
	o->debt = o->lead = 0;
	return taken + take_left(sum, period, 0);
}

/* A process has used `rest` ns more than was booked, which is left at its end. */
void
owed_leave(struct owed_sum *sum, int64_t rest)
{
	sum->ended += rest;
	for (; sum != NULL; sum = sum->of)
		sum->all += rest;
}

/* Returns the ticks that a process has at its end of what others have left, and leaves its own rest
 * to the next.  `dither`: less than a period, at random where no sample had any say in whether the
 * rest has become a tick. */
uint64_t
owed_settle(struct owed_sum *sum, uint64_t period, uint64_t dither)
{
	struct owed_sum *run = sum->of;

	run->ended += sum->ended;
	sum->all -= sum->ended;
	sum->ended = 0;
	return take_left(run, period, dither);
}

/* Whether the thread waits more than half as long as it runs. */
bool
owed_is_crowded(const struct owed *o)
{
	return o->waited_lately * 2 > o->ran_lately;
}
