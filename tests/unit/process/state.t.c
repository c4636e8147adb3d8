/*
 * The mode that an image is told, by all that decides it: a state in our own memory.
 *
 * SPDX-License-Identifier: ISC
 */
#include "process/process.h"
#include "tap.h"

int
main(void)
{
	static struct profsup_state state;
	struct proc proc = { .image.state_addr = (uint64_t)(uintptr_t)&state };

	memjob_patience(60 * NSEC);
	if (mem_open(&proc, getpid()) < 0)
		bail("mem_open");
	for (unsigned i = 0; i < 16; i++) {
		const bool started = (i & 1) != 0, paused = (i & 2) != 0, held = (i & 4) != 0;
		const bool shared = (i & 8) != 0, on = started && !paused && !held;
		const uint8_t flags = held ? PROFSUP_SUPERVISED | PROFSUP_HELD : PROFSUP_SUPERVISED;

		state = (struct profsup_state){
			.buf = started ? 4096 : 0, .paused = paused, .shared_tp = shared, .mode = 77
		};
		ok(state_tell(&proc, flags) == 0 && state.supervised == flags,
		   "state %u: it is told", i);
		is_int(state.mode,
		       !on      ? PROFSUP_MODE_OFF
		       : shared ? PROFSUP_MODE_SHARED
		                : PROFSUP_MODE_ON,
		       "its mode");
	}
	mem_close(&proc);
	return done_testing();
}
