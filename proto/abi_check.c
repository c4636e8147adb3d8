/*
 * Holds both sides to one layout: compiled with the shim's flags and with the supervisor's.
 *
 * SPDX-License-Identifier: ISC
 */
#include "gmon_layout.h"
#include "profsup_abi.h"
#include "profsup_note.h"

#include <stddef.h>

#define SIZE(type, size) _Static_assert(sizeof(type) == (size), "size of " #type)
#define OFFSET(type, member, off)                                                                  \
	_Static_assert(offsetof(type, member) == (off), "offset of " #type "." #member)

SIZE(struct profsup_state, 144);
OFFSET(struct profsup_state, mode, 0);
OFFSET(struct profsup_state, shared_tp, 1);
OFFSET(struct profsup_state, supervised, 2);
OFFSET(struct profsup_state, geometry, 3);
OFFSET(struct profsup_state, magic, 4);
OFFSET(struct profsup_state, version, 8);
OFFSET(struct profsup_state, scale, 12);
OFFSET(struct profsup_state, buf, 16);
OFFSET(struct profsup_state, buflen, 24);
OFFSET(struct profsup_state, samplesize, 32);
OFFSET(struct profsup_state, arcs, 40);
OFFSET(struct profsup_state, places, 48);
OFFSET(struct profsup_state, offset, 56);
OFFSET(struct profsup_state, low_pc, 64);
OFFSET(struct profsup_state, high_pc, 72);
OFFSET(struct profsup_state, runtime_low, 80);
OFFSET(struct profsup_state, runtime_high, 88);
OFFSET(struct profsup_state, mcount_pc, 96);
OFFSET(struct profsup_state, outside_pc, 104);
OFFSET(struct profsup_state, tls_mark, 112);
OFFSET(struct profsup_state, toggles, 120);
OFFSET(struct profsup_state, paused, 124);
OFFSET(struct profsup_state, spare, 128);
OFFSET(struct profsup_state, spare_len, 136);

SIZE(struct profsup_mailbox, 72);
OFFSET(struct profsup_mailbox, supervised, 8);
OFFSET(struct profsup_mailbox, result, 16);
OFFSET(struct profsup_mailbox, answered, 24);
OFFSET(struct profsup_mailbox, posted, 28);
OFFSET(struct profsup_mailbox, call, 32);
OFFSET(struct profsup_mailbox, arg, 40);

SIZE(struct profsup_aix_range, 32);
OFFSET(struct profsup_aix_range, bufsize, 24);
SIZE(struct profsup_sprofil_range, 32);

SIZE(struct profsup_header, 64);
OFFSET(struct profsup_header, low_pc, 8);
OFFSET(struct profsup_header, high_pc, 16);
OFFSET(struct profsup_header, arcs_off, 24);

SIZE(struct profsup_thread_slot, 16);
OFFSET(struct profsup_thread_slot, where, 8);

SIZE(struct profsup_table_head, PROFSUP_ARC_SIZE);
OFFSET(struct profsup_table_head, older, 8);

SIZE(struct profsup_arc, PROFSUP_ARC_SIZE);
OFFSET(struct profsup_arc, self, 0);
OFFSET(struct profsup_arc, from, 4);
OFFSET(struct profsup_arc, count, 8);

OFFSET(struct profsup_arcs, used, 0);
OFFSET(struct profsup_arcs, dropped, 8);
OFFSET(struct profsup_arcs, shared_used, 16);
OFFSET(struct profsup_arcs, slots, 64);
OFFSET(struct profsup_arcs, pool, 64 + 16 * PROFSUP_THREAD_SLOTS);

SIZE(struct profsup_note, 8);
OFFSET(struct profsup_note, state_off, 4);

SIZE(struct gmon_file_header, 20);
SIZE(struct gmon_hist_header, 40);
OFFSET(struct gmon_hist_header, hist_size, 16);
OFFSET(struct gmon_hist_header, dimen, 24);
OFFSET(struct gmon_hist_header, run, 32);
SIZE(struct gmon_arc_record, 20);
OFFSET(struct gmon_arc_record, count, 16);
