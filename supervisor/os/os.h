/*
 * The kernel: ptrace, /proc, clocks, CPUs and priorities, rights, perf, descriptors, and processes
 * of our own.
 *
 * Conventions: leaves return -1 with errno and print nothing; a function that prints says so.  An
 * address in a target is a uint64_t named ..._addr, never a pointer.  -1 is "no descriptor".
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_OS_H
#define PROFSUP_OS_H

#include "os/cpu.h"
#include "os/files.h"
#include "os/perf.h"
#include "os/procfs.h"
#include "os/ptrace.h"
#include "os/rights.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define NSEC 1000000000ULL

/* Our own failures; everything else is the target's exit status. */
enum { EXIT_OURS = 125, EXIT_CANNOT_EXEC = 126, EXIT_NOT_FOUND = 127 };

/* clock.c */
uint64_t clock_ns(clockid_t clock);
uint64_t clock_now(void); /* of CLOCK_MONOTONIC */

/* log.c */
void log_init(bool quiet, bool verbose);
void log_never_wait(bool anew);
enum log_kind {
	LINE_EVENT,  /* of -v */
	LINE_NOTICE, /* what a user should know; not if we are to be quiet */
	LINE_ERROR   /* something is lost or refused */
};
void log_line(enum log_kind kind, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define log_verbose(...) log_line(LINE_EVENT, __VA_ARGS__)
#define log_notice(...)  log_line(LINE_NOTICE, __VA_ARGS__)
#define log_error(...)   log_line(LINE_ERROR, __VA_ARGS__)
#define log_fatal(...)   (log_error(__VA_ARGS__), exit(EXIT_OURS))
const char *log_safe(const char *name, char *buf, size_t size);

/* diagnose.c: words for errors */
bool diagnose_is_elf(const char *path);
const char *diagnose_exec(const char *name, int error);
const char *diagnose_machine(unsigned machine, bool is_64);
const char *diagnose_perf(int error);
const char *diagnose_trace(pid_t target);
const char *diagnose_read(int error);
const char *diagnose_attach(pid_t pid);

#endif
