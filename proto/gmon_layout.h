/*
 * The file: GNU's gmon format, version 1, as gprof(1) reads it.  Numbers are in the machine's byte
 * order and pointers have its width (8 bytes on the machines we know); nothing is aligned.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_GMON_LAYOUT_H
#define PROFSUP_GMON_LAYOUT_H

#include <stdint.h>

#define GMON_MAGIC   "gmon"
#define GMON_VERSION 1

#define GMON_TAG_TIME_HIST 0 /* one byte before each record */
#define GMON_TAG_CG_ARC    1

/* Starts the file.  The build id is profsup's: the first bytes of the program's; zeros: it has
 * none, or another has written the file.  To gprof these bytes are spare. */
enum { GMON_BUILD_ID = 12 };
struct gmon_file_header {
	char cookie[4]; /* GMON_MAGIC */
	uint32_t version;
	uint8_t build_id[GMON_BUILD_ID];
} __attribute__((packed));

/* Follows GMON_TAG_TIME_HIST; hist_size 16-bit bins follow it.  gprof adds up records of one range.
 * In the first record of a file `run` is when the run of profsup began, little-endian microseconds
 * since 1970; zeros: another has written the file.  To gprof it is behind the end of the text. */
enum { GMON_RUN = 7 };
struct gmon_hist_header {
	uint64_t low_pc; /* link-time addresses, bytes */
	uint64_t high_pc;
	uint32_t hist_size; /* bins */
	uint32_t prof_rate; /* ticks a second */
	char dimen[8];      /* "seconds" */
	uint8_t run[GMON_RUN];
	char dimen_abbrev; /* 's' */
} __attribute__((packed));

/* Follows GMON_TAG_CG_ARC.  gprof adds up records of one arc. */
struct gmon_arc_record {
	uint64_t from_pc; /* inside the calling instruction; 0 = unknown caller */
	uint64_t self_pc;
	uint32_t count;
} __attribute__((packed));

#endif
