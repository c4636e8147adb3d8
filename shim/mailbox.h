/*
 * The mailbox, to the calls of the older dialects.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_MAILBOX_H
#define PROFSUP_MAILBOX_H

#include "profsup_abi.h"

#define HIDDEN __attribute__((visibility("hidden")))

extern struct profsup_mailbox __profsup_mailbox HIDDEN;
/* Whether there is a supervisor that answers. */
extern int __profsup_is_asked(void) HIDDEN;
extern long __profsup_ask(uint64_t call, uint64_t a, uint64_t b, uint64_t c, uint64_t d) HIDDEN;

#endif
