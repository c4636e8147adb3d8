/*
 * Turns CPU time into ticks: what a thread has used since its last sample is booked as whole
 * periods; the rest stays owed, so that nothing is lost whatever the rate.  Pure.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

/* How many looks count most. */
enum { LATELY = 4 };

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
	o->debt = lead;
}

/* CPU time used until now is not owed. */
void
owed_forgive(struct owed *o, const struct thread_time *time)
{
	o->seen.cpu = time->cpu;
}

/* CPU time used until now is owed.  False: the account is behind what was seen of it. */
bool
owed_add(struct owed *o, const struct thread_time *time)
{
	uint64_t used;

	if (time->cpu < o->seen.cpu)
		return false;
	used = time->cpu - o->seen.cpu;
	o->ran_lately -= o->ran_lately / LATELY;
	o->ran_lately += used;
	o->waited_lately -= o->waited_lately / LATELY;
	o->waited_lately += time->waited - o->seen.waited;
	o->debt += (int64_t)used;
	o->seen = *time;
	return true;
}

/* Returns the whole periods that are owed, less `left`, and not more than `most`; the rest stays
 * owed. */
uint64_t
owed_take(struct owed *o, uint64_t period, uint64_t left, uint64_t most)
{
	const uint64_t owed = o->debt < 0 ? 0 : (uint64_t)o->debt / period;
	const uint64_t ticks = owed <= left ? 0 : owed - left;
	const uint64_t taken = ticks < most ? ticks : most;

	o->debt -= (int64_t)(taken * period);
	return taken;
}

/* Whether the thread waits more than half as long as it runs. */
bool
owed_is_crowded(const struct owed *o)
{
	return o->waited_lately * 2 > o->ran_lately;
}
