/*
 * The runtime's only state object, and libc's name for its own parameters.
 *
 * SPDX-License-Identifier: ISC
 */
#include "shim.h"

struct profsup_state __profsup_state = {
	.mode = PROFSUP_MODE_OFF,
	.magic = PROFSUP_STATE_MAGIC,
	.version = PROFSUP_ABI_VERSION,
	.paused = 1,
};

/*
 * Some programs look at libc's parameters to see whether they are being profiled.  We own the
 * symbol, because any reference to it would pull libc's gmon.o in, and keep the members true
 * that have a meaning here.
 */
struct gmonparam _gmonparam = {
	.state = GMON_PROF_OFF,
};

/* libc's basic-block profile, which no compiler has written since gcc 3. */
extern void *__bb_head;
void *__bb_head;

/* Adds `by` to the number of pauses; INT_MIN ends them all.  Whoever sees a change last sets the
 * mode. */
void
__profsup_pause(int by)
{
	static const uint8_t on[] = { PROFSUP_MODE_ON, PROFSUP_MODE_SHARED };
	struct profsup_state *s = &__profsup_state;
	uint32_t was = __atomic_load_n(&s->paused, __ATOMIC_RELAXED), now;
	const int watched = s->supervised & PROFSUP_SUPERVISED;
	int shared, held;

	do
		now = (int64_t)was + by > 0 ? was + (uint32_t)by : 0;
	while (!__atomic_compare_exchange_n(&s->paused, &was, now, 0, __ATOMIC_SEQ_CST,
	                                    __ATOMIC_RELAXED));
	do {
		now = __atomic_load_n(&s->paused, __ATOMIC_SEQ_CST);
		shared = __atomic_load_n(&s->shared_tp, __ATOMIC_SEQ_CST);
		held = __atomic_load_n(&s->supervised, __ATOMIC_SEQ_CST) & PROFSUP_HELD;
		_gmonparam.state = now || !watched ? GMON_PROF_OFF : GMON_PROF_ON;
		__atomic_store_n(&s->mode, now || held ? PROFSUP_MODE_OFF : on[shared],
		                 __ATOMIC_SEQ_CST);
		__atomic_fetch_add(&s->toggles, 1, __ATOMIC_RELAXED);
	} while (now != __atomic_load_n(&s->paused, __ATOMIC_SEQ_CST) ||
	         shared != __atomic_load_n(&s->shared_tp, __ATOMIC_SEQ_CST) ||
	         held != (__atomic_load_n(&s->supervised, __ATOMIC_SEQ_CST) & PROFSUP_HELD));
}
