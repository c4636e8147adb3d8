/*
 * What a process is doing.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef STATE_H
#define STATE_H

#include "program.h"

/* Returns the letter of its state; 0: it is gone. */
static inline char
state_of(pid_t pid)
{
	char path[64], line[256], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f == NULL)
		return 0;
	fgets(line, sizeof(line), f);
	fclose(f);
	sscanf(strrchr(line, ')') + 1, " %c", &state);
	return state;
}

/* Waits until our parent sleeps, or is gone: several looks in a row, so it is in a wait and not on
 * the way to one. */
static inline void
parent_sleeps(pid_t parent)
{
	for (int asleep = 0; asleep < 10 && getppid() == parent; usleep(5000))
		asleep = state_of(parent) == 'S' ? asleep + 1 : 0;
}

/* 0: nobody traces us. */
static inline pid_t
tracer(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	pid_t pid = 0;

	if (f == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL)
		sscanf(line, "TracerPid: %d", &pid);
	fclose(f);
	return pid;
}

#endif
