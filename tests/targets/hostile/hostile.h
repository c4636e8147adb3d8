/*
 * What hostile targets share: the runtime's state, by its hidden name, who traces them, and a few
 * words.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "../state.h"
#include <linux/sched.h>

#include "../../../proto/profsup_abi.h"

extern struct profsup_state __profsup_state __attribute__((visibility("hidden")));

/* Where a call of mcount would be our own death, or must not be counted. */
#define PLAIN __attribute__((no_instrument_function))

/* Runs with main's arguments, before it and before the runtime's start-up. */
#define BEFORE_START_UP(function)                                                                  \
	__attribute__((section(".preinit_array"), used)) static void (*before_start_up)(           \
	    int, char **) = function

static inline struct profsup_arcs *
hostile_arcs(void)
{
	return (struct profsup_arcs *)__profsup_state.arcs;
}

static inline void
ready(void)
{
	printf("ready %d\n", getpid());
	fflush(stdout);
}

/* A child calls it so often. */
IN_PLACE void
fork_and_call(void (*work)(void), long times)
{
	const pid_t pid = fork();

	if (pid == 0) {
		while (times-- > 0)
			work();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* With that number, which is root's to say; 0: any. */
IN_PLACE pid_t
fork_as(pid_t pid)
{
	struct clone_args args = { .exit_signal = SIGCHLD };

	if (pid != 0) {
		args.set_tid = (uint64_t)(uintptr_t)&pid;
		args.set_tid_size = 1;
	}
	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

#endif
