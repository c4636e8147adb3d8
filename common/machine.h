/*
 * What the code of our machines looks like, to those who walk call stacks.  Each machine_<name>.c
 * is complete by itself, and empty on other machines.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* DWARF's numbers of registers, how many bytes of return address a call pushes, and where the
 * kernel leaves what a signal has interrupted. */
struct machine_frames {
	unsigned fp, sp, ra;
	unsigned base; /* another register that frames are found by; 0: there is none */
	int pushed;
	struct {
		uint64_t offset;     /* of the registers, from the sp of the handler's return */
		uint64_t pc, sp, fp; /* offsets among the registers */
		uint64_t link, base; /* the same; 0: there is none */
	} signal;
};
extern const struct machine_frames machine_frames;

/* Whether code is a call: its length, or 0.  *distance: from the next instruction to the function
 * that is called; 0: it is called by a pointer.  Where calls push no return address, none is found,
 * since nobody looks for one. */
unsigned machine_call_at(const uint8_t *code, size_t len, int32_t *distance);
/* Whether code is where a function makes a frame pointer of the usual kind, with the caller's and
 * the return address above it: its length, or 0.  None is looked for where any code is taken to do
 * so. */
unsigned machine_frame_made_at(const uint8_t *code, size_t len);
/* Whether code is the one that a signal handler returns to. */
bool machine_sigreturn_at(const uint8_t *code, size_t len);

#endif
