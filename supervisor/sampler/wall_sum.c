/*
 * The arithmetic of --wall: a thread's time is CPU time, waiting for a CPU, and, for the rest,
 * blocked.  Pure.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sampler/sampler.h"

/* Full looks a second at all threads together: one takes 20 to 80 us, and so all less than 2 % of a
 * CPU. */
enum { LOOKS = 250 };
/* Looks a second at all that have slept since the last one: one takes some 5 us. */
enum { CHEAP_LOOKS = 1000 };
/* A sleeper is looked at again after 1 / CALMER of the time that it has slept. */
enum { CALMER = 8 };
/* The longest time, and how much more for each thread. */
#define RAREST_NS   NSEC
#define RARER_NS    (NSEC / 1000)
#define OFTENEST_NS (NSEC / 250)

/* Splits the time since the last call.  The account of a thread that runs may be late, which looks
 * like blocked time: then the next parts have less of that. */
struct wall_part
wall_sum_add(struct wall_sum *s, uint64_t now, const struct thread_time *time)
{
	struct wall_part part = {
		.time = now - s->at,
		.cpu = time->cpu - s->time.cpu,
		.runnable = time->waited - s->time.waited,
	};
	const uint64_t busy = part.cpu + part.runnable + s->excess;

	part.blocked = part.time > busy ? part.time - busy : 0;
	s->excess = part.time > busy ? 0 : busy - part.time;
	s->at = now;
	s->time = *time;
	s->all.time += part.time;
	s->all.cpu += part.cpu;
	s->all.runnable += part.runnable;
	s->all.blocked += part.blocked;
	return part;
}

/* Returns how long a thread is left alone that has slept for so long, 0 if it has run; `busy`: how
 * many such threads there are, of `all` that are looked at. */
uint64_t
wall_pause(uint64_t slept, size_t busy, size_t all)
{
	const uint64_t most = RAREST_NS + all * RARER_NS;
	uint64_t ns = busy * (NSEC / LOOKS);

	if (slept != 0)
		ns = all * (NSEC / CHEAP_LOOKS);
	if (ns < slept / CALMER)
		ns = slept / CALMER;
	if (ns < OFTENEST_NS)
		ns = OFTENEST_NS;
	return ns < most ? ns : most;
}
