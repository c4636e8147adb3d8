/*
 * os/perfring.c of the simulated machine: a clock for each thread that notes where it is whenever
 * it has had so much of a CPU.
 *
 * SPDX-License-Identifier: ISC
 */
#include "sim.h"

enum { ROOM = 512 };

static struct perf_sample ring[ROOM];
static size_t n;
static uint64_t lost;
static uint64_t period;

/* Called with each part of a thread's time on a CPU. */
void
perf_spent(struct thread *t, uint64_t ns)
{
	uint64_t pc;

	if (period == 0)
		return;
	if (t->clock.period == 0)
		t->clock = (struct perf_clock){ period, t->ran - ns + period };
	for (; t->clock.next <= t->ran; t->clock.next += t->clock.period) {
		if (n == ROOM) {
			lost++;
			continue;
		}
		tracees_pc(t, &pc);
		ring[n++] = (struct perf_sample){
			.pid = t->process->pid,
			.tid = t->tid,
			.time = now - (t->ran - t->clock.next),
			.regs = { .pc = pc, .sp = 1 << 20, .syscall = -1 },
		};
	}
}

int
perfring_open(void)
{
	return 0;
}

int
perfring_open_tree(uint64_t ns)
{
	period = ns;
	return 0;
}

void
perfring_close(void)
{
}

void
perfring_want_stacks(void)
{
}

unsigned
perfring_room(void)
{
	return 0;
}

unsigned
perfring_busy(unsigned all)
{
	return all < machine.cpus ? all : machine.cpus;
}

int
perfring_fds(int *fd, int most)
{
	(void)fd;
	(void)most;
	return 0;
}

int
perfring_init(bool threads_only)
{
	(void)threads_only;
	return 0;
}

bool
perfring_would_do(void)
{
	return true;
}

int
perf_events_open(struct perf_events **events, pid_t tid, uint64_t ns)
{
	(void)tid;
	period = ns;
	if (*events == NULL)
		*events = calloc(1, sizeof(**events));
	if (*events == NULL)
		return -1;
	(*events)->refs++;
	return 0;
}

void
perf_events_drop(struct perf_events *ev)
{
	if (ev != NULL && --ev->refs == 0)
		free(ev);
}

void
perfring_drain(perf_sample_fn *take, void *arg, struct perf_losses *losses)
{
	static struct perf_sample taken[ROOM];
	const size_t m = n;

	ours_spend(1000 + 500 * n);
	for (size_t i = 0; i < m; i++)
		taken[i] = ring[i];
	for (size_t i = m; i < n; i++)
		ring[i - m] = ring[i];
	n -= m;
	losses->lost += lost;
	lost = 0;
	for (size_t i = 0; i < m; i++)
		take(arg, &taken[i]);
}
