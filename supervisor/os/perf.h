/*
 * Samples by perf_event_open(2).
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_PERF_H
#define PROFSUP_PERF_H

#include "os/ptrace.h"

/* perfring.c */
struct perf_events {
	unsigned refs;
	struct perf_events *more; /* events of threads that existed before ours were opened */
	int apart;                /* see open_events() */
	int n;
	int fd[];
};
struct perf_sample {
	pid_t pid, tid;
	uint64_t time;         /* CLOCK_MONOTONIC, ns */
	struct arch_regs regs; /* the program's: pc, and if perf has told them sp, fp and link */
	const uint8_t *stack;  /* what was at sp */
	size_t stack_len;
};
typedef void perf_sample_fn(void *arg, const struct perf_sample *sample);
struct perf_losses {
	uint64_t lost;      /* samples that found no room in a ring */
	uint64_t throttled; /* times that the kernel stopped sampling for a moment */
};
int perfring_open(void);
int perfring_open_tree(uint64_t period);
void perfring_close(void);
void perfring_want_stacks(void);
unsigned perfring_room(void);
unsigned perfring_busy(unsigned threads);
int perfring_fds(int *fd, int most);
int perfring_init(bool threads_only);
bool perfring_would_do(void);
int perf_events_open(struct perf_events **events, pid_t tid, uint64_t period);
void perf_events_drop(struct perf_events *ev);
void perfring_drain(perf_sample_fn *take, void *arg, struct perf_losses *losses);

#endif
