/*
 * TAP for C: the same words as testlib.sh.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef TAP_H
#define TAP_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One test point; `fmt` says what must hold.  Returns `good`. */
int ok(int good, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int is_int(int64_t got, int64_t want, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int is_str(const char *got, const char *want, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void diag(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A point that can't be tested here, and why; with PROFSUP_TEST_MUST_RUN=1 that is a failure. */
void skip(const char *why);
void bail(const char *why) __attribute__((noreturn));
/* Prints the plan; main's last word.  Returns the exit status. */
int done_testing(void);

#endif
