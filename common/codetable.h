/*
 * A table of a file's code: its functions, and rows for the walk of call stacks.  tools/code/
 * writes it, and the supervisor reads it: its head, spans, rows and names.  A function's number is
 * where its name begins among the names.  Addresses are link-time addresses.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef CODETABLE_H
#define CODETABLE_H

#include <stddef.h>
#include <stdint.h>

enum { CODETABLE_BYTES = 48 << 20 }; /* at the most */

/* Code in the file, and where it is to be loaded. */
enum { CODETABLE_SEGMENTS = 8 };
struct codetable_segment {
	uint64_t offset, bytes, addr;
};
enum { CODETABLE_VERSION = 0x70c0de01 }; /* of all of this */
struct codetable_head {
	uint32_t version;
	uint32_t spans;
	uint64_t rows;
	uint64_t main_low, main_bytes;
	uint64_t names; /* bytes */
	struct codetable_segment segment[CODETABLE_SEGMENTS];
};
struct codetable_span {
	uint64_t low, high;
	uint32_t function, unused;
};

enum frame_rule {
	FRAME_UNKNOWN,  /* no code, or code of which nothing is known */
	FRAME_BY_SP,    /* the CFA, the caller's sp, is sp + cfa */
	FRAME_BY_FP,    /* it is fp + cfa */
	FRAME_BY_SAVED, /* it is stored at fp + cfa */
	FRAME_BY_BASE,  /* it is base + cfa */
	FRAME_SIGNAL,   /* returns to what a signal has interrupted */
	FRAME_LAST,     /* has no caller */
	/* A function without information.  `cfa`, unsigned: where it begins. */
	FRAME_SCAN,      /* its return address is to be looked for */
	FRAME_OUTERMOST, /* nor has it one if it has called another */
	FRAME_SAME,      /* while rows are made: as the row before */
};
enum { FRAME_CALLS_ANY = 1 };
struct frame_row {
	uint64_t low; /* the code from here to the next row */
	int32_t cfa;
	int16_t fp;      /* the caller's frame pointer is at CFA + fp; 0: unchanged */
	int16_t ra;      /* the return address is at CFA + ra; 0: in the link register */
	int16_t base;    /* as fp, of the register machine_frames.base */
	uint8_t rule;    /* enum frame_rule */
	uint32_t callee; /* 0, or behind a call: the function without information that it calls,
	                  * or FRAME_CALLS_ANY */
};
struct frame_rows {
	const struct frame_row *row; /* sorted by `low` */
	size_t n;
};
const struct frame_row *frame_row_at(const struct frame_rows *rows, uint64_t pc);

#endif
