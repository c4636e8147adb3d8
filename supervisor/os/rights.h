/*
 * Whose rights we have, and whose we take on.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_RIGHTS_H
#define PROFSUP_RIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* The rights with which files are touched, or a program is run. */
struct identity {
	bool overrides; /* held CAP_DAC_OVERRIDE */
	uid_t uid;
	gid_t gid;
	uid_t user; /* who has started the process: its real user id */
	size_t ngroups;
	gid_t *groups;
};

/* identity.c */
void identity_free(struct identity *id);
bool identity_same(const struct identity *a, const struct identity *b);

/* priv.c */
void priv_start(void);
bool priv_is_lent(void);
bool priv_was_lent_perfmon(void);
int priv_give_back(void);
int priv_drop(void);
int priv_confine(void);
void priv_give_back_in_thread(void);
int priv_keep_nice_in_thread(void);
int priv_init(void);
bool priv_may_be_others(void);
bool priv_may_trace_any(void);
int priv_become(const struct identity *id);
void priv_return(void);
int priv_caller(struct identity *id);
int priv_set_priority(pid_t tid, int priority);
int priv_realtime(int priority);
int priv_admin(int (*work)(pid_t tid, unsigned long arg), pid_t tid, unsigned long arg);
struct perf_event_attr;
int priv_perf_event_open(const struct perf_event_attr *attr, pid_t tid, int cpu);
int priv_open_proc(const char *path, int flags);
void priv_leave_proc(void);
int priv_open_mapped(const char *path);

#endif
