/*
 * moncontrol: pause and resume by a store to memory, which no sandbox can refuse.  mcount sees it
 * at its next call, the supervisor at its next tick.  It nests: the profile goes on when each
 * moncontrol(0) has had its moncontrol(1), from whichever thread.
 *
 * SPDX-License-Identifier: ISC
 */
#include "shim.h"

extern void __moncontrol(int mode);
extern void moncontrol(int mode);

void
__moncontrol(int mode)
{
	if (__profsup_state.buf != 0 || __profsup_state.spare != 0)
		__profsup_pause(mode != 0 ? -1 : 1);
}

void moncontrol(int mode) __attribute__((weak, alias("__moncontrol")));
