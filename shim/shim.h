/*
 * The runtime's own declarations.  Nothing here is public; symbols.txt lists the symbols that are.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_SHIM_H
#define PROFSUP_SHIM_H

#include "profsup_abi.h"

#include <stddef.h>
#include <stdint.h>

#define HIDDEN __attribute__((visibility("hidden")))

/* Code that runs inside calls of the program's functions: kept together, so that a sample in it can
 * be told from one in the program. */
#define RUNTIME_TEXT __attribute__((section(".text.profsup")))

/* A bin covers this many bytes of text (16 bits for 4 bytes, as in OpenBSD and glibc). */
#define BIN_TEXT 4

/* gmonparam.c */

/* glibc's struct gmonparam, spelled out because other libcs have no <sys/gmon.h>. */
struct gmonparam {
	long state; /* GMON_PROF_ON or GMON_PROF_OFF */
	unsigned short *kcount;
	unsigned long kcountsize;
	unsigned short *froms;
	unsigned long fromssize;
	void *tos;
	unsigned long tossize;
	long tolimit;
	unsigned long lowpc;
	unsigned long highpc;
	unsigned long textsize;
	unsigned long hashfraction;
	long log_hashfraction;
};
#define GMON_PROF_ON  0
#define GMON_PROF_OFF 3

extern struct gmonparam _gmonparam;
extern struct profsup_state __profsup_state HIDDEN;
extern void __profsup_pause(int by) HIDDEN;

/* arch/.../mcount.S: the calling thread's table, all zero until it has one. */
struct profsup_table {
	struct profsup_arc *arcs;
	uint64_t mask; /* (number of arcs - 1) * PROFSUP_ARC_SIZE */
	uint64_t mark; /* PROFSUP_TLS_MARK */
};
extern __thread struct profsup_table __profsup_table
    __attribute__((visibility("hidden"), tls_model("local-exec")));
extern char __profsup_runtime_low[] HIDDEN, __profsup_runtime_high[] HIDDEN;
extern void mcount(void);
extern char __profsup_outside_caller[] HIDDEN;

/* mcount.c */
extern void __profsup_record(uint64_t from, uint64_t self) HIDDEN;

/* How both halves of mcount place an arc: a byte offset into a table, before the mask. */
#define PROFSUP_HASH_FACTOR 0x9e3779b97f4a7c15
#define PROFSUP_HASH_SHIFT  36

#endif
