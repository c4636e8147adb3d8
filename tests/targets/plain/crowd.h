/*
 * The table that all members of a crowd write to, and that tests/crowd/crowd.pl reads.
 *
 * Before each call of a counted function a member adds 1 to `before`, after it to `after`: whenever
 * it dies, what its file says lies between.  The calls of a vfork's child are its creator's.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef CROWD_H
#define CROWD_H

#include <stdint.h>

enum { CROWD_SLOTS = 1 << 20, CROWD_ROLL = 256, CROWD_FUNCTIONS = 5 };

enum crowd_state {
	CROWD_RESERVED, /* for a process or an image that is about to be */
	CROWD_ALIVE,
	CROWD_EXECING,  /* its next image has the slot `next` */
	CROWD_REPLACED, /* that one is there */
	CROWD_ENDED,    /* by itself, all calls done */
	CROWD_FAILED,   /* what should not have failed did: `next` is errno */
};

/* An image of a process. */
struct crowd_slot {
	int32_t pid; /* 0: it came to nothing; the kernel's store, so also of one killed at birth */
	uint32_t state; /* enum crowd_state */
	uint32_t prev;  /* the image that it has replaced, if any */
	uint32_t next;
	uint32_t threads; /* that live */
	uint32_t finish;  /* its threads are to end */
	uint32_t before[CROWD_FUNCTIONS];
	uint32_t after[CROWD_FUNCTIONS];
};

struct crowd_table {
	uint32_t used; /* slots */
	uint32_t seed;
	uint32_t stop;  /* all are to end */
	uint32_t procs; /* that live, more or less */
	uint32_t threads;
	uint32_t most_procs;
	uint32_t most_threads;
	uint32_t spare;
	int32_t roll[CROWD_ROLL]; /* whom signals are sent to */
	struct crowd_slot slots[CROWD_SLOTS];
};

#endif
