/*
 * Virtual time: what happens next, by its time and then in the order in which it was foreseen.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sim.h"

struct due {
	uint64_t at, order;
	happen *what;
	void *arg;
	uint64_t number;
};

uint64_t now;
bool tracing;

static struct due *heap;
static size_t n, room;
static uint64_t order, state;
static bool stopped;

void
engine_seed(uint64_t seed)
{
	state = seed;
	now = NSEC; /* 0 stands for never */
	order = 0;
	stopped = false;
}

/* splitmix64 */
static uint64_t
draw(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint64_t
engine_random(uint64_t below)
{
	return below == 0 ? 0 : draw() % below;
}

/* Returns a time that is up to so many per cent longer or shorter. */
uint64_t
engine_spread(uint64_t ns, unsigned percent)
{
	const uint64_t most = ns * percent / 100;

	return ns - most + engine_random(2 * most + 1);
}

static bool
is_before(const struct due *a, const struct due *b)
{
	return a->at < b->at || (a->at == b->at && a->order < b->order);
}

void
engine_at(uint64_t at, happen *what, void *arg, uint64_t number)
{
	const struct due due = { at < now ? now : at, order++, what, arg, number };
	size_t i = n;

	if (n == room) {
		room = room == 0 ? 1024 : 2 * room;
		heap = realloc(heap, room * sizeof(*heap));
		if (heap == NULL)
			abort();
	}
	n++;
	for (; i > 0 && is_before(&due, &heap[(i - 1) / 2]); i = (i - 1) / 2)
		heap[i] = heap[(i - 1) / 2];
	heap[i] = due;
}

static struct due
take_first(void)
{
	const struct due first = heap[0], last = heap[--n];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &last))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return first;
}

/* Returns when it was told to stop, or nothing is left to happen. */
void
engine_run(void)
{
	while (!stopped && n > 0) {
		const struct due due = take_first();

		now = due.at;
		due.what(due.arg, due.number);
		sched_settle();
	}
}

void
engine_stop(void)
{
	stopped = true;
}

void
engine_note(const char *fmt, ...)
{
	va_list ap;

	if (!tracing)
		return;
	va_start(ap, fmt);
	printf("%12.3f us  ", (double)(now - NSEC) / 1e3);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
}
