/*
 * The start: options, rights, and the three processes.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_START_H
#define PROFSUP_START_H

#include "trace/trace.h"

/* options.c */
void options_parse(struct options *opt, int argc, char **argv);

/* help.c */
extern const char help_text[];

/* launch.c */
void launch_prepare(int pair[2]);
pid_t launch_target(const struct options *opt, const int pair[2]);
pid_t launch_hear(int sync);
void launch_seize(const struct options *opt, pid_t target, int sync);

/* runas.c */
int runas_parse(const char *spec, struct identity *id);
int runas_become(const struct identity *id);

/* inherit.c */
void inherit_save(const char *last_arg);
int inherit_restore(void);
void inherit_block_signals(void);
void inherit_restore_signals(void);
bool inherit_ignores(int sig);
bool inherit_ends_jobs(int sig);

/* front.c */
void __attribute__((noreturn)) front_run(pid_t target, pid_t supervisor);
void front_prepare(struct profsup *ps);
void front_note_start(void);
void front_leave(const struct profsup *ps, int status);
void front_save(bool done);

/* reader.c */
void reader_start_top(int in);
void reader_show(void);

/* advise.c */
unsigned advise_points(const struct stats *st);
void advise(const struct profsup *ps, const struct summary *s);

#endif
