/*
 * When the next tick comes.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

#include <stdlib.h>

/* The longest time between two ticks while nothing is sampled: orphans have to be looked after,
 * too. */
#define IDLE_NS (NSEC / 10)
/* Most ticks a second, of all CPUs: more would leave us no time for anything else. */
enum { MOST_TICKS = 5000 };

/* Time from one tick to the next, 0.5 to 1.5 intervals: jittered, so that ticks can't fall in step
 * with the program's own timers. */
static uint64_t
step(const struct profsup *ps)
{
	uint64_t interval = ps->tick.interval;

	if (ps->cpus > 1)
		interval /= ps->cpus;
	if (interval < NSEC / MOST_TICKS && ps->cpus > 1)
		interval = NSEC / MOST_TICKS;
	return interval / 2 + (uint64_t)random() % interval;
}

/* Sets the next tick; there is nothing to look at until `look`. */
void
pace_set(struct profsup *ps, uint64_t look)
{
	const uint64_t now = clock_now();
	uint64_t ns = step(ps);

	ps->tick.for_sample = look <= now + ns;
	if (!ps->tick.for_sample) {
		ns = look - now < IDLE_NS ? look - now + (uint64_t)random() % ps->period : IDLE_NS;
		if (ns > IDLE_NS)
			ns = IDLE_NS;
	}
	ps->tick.at = now + ns;
}

/* Called when there is a process to sample from now on. */
void
pace_wake(struct profsup *ps)
{
	if (ps->tick.for_sample)
		return;
	pace_set(ps, 0);
	ps->tick.last = clock_now();
}

/* From now on ticks come no further apart than `ns`. */
void
pace_hurry(struct profsup *ps, uint64_t ns)
{
	if (ps->tick.longest > ns)
		ps->tick.longest = ns;
	pace_soon(ps, ns);
}

/* The next tick comes after `ns` at the latest. */
void
pace_soon(struct profsup *ps, uint64_t ns)
{
	if (ps->tick.interval <= ns)
		return;
	ps->tick.interval = ns;
	ps->tick.for_sample = false; /* it is to be set again */
}
