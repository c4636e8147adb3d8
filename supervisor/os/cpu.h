/*
 * Our own CPUs and priority, and our clock.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_CPU_H
#define PROFSUP_CPU_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* own_cpu.c: the supervisor's own CPU and priority */
enum { PRIORITY_OURS = 1, PRIORITY_KEEPER }; /* real-time priorities */
bool own_cpu_init(void);
void own_cpu_may_bind(void);
void own_cpu_share(void);
void own_cpu_leave(void);
bool own_cpu_have_share(uint64_t ns, uint64_t period);
void own_cpu_keep(void);
void own_cpu_curb(bool main, bool others);
bool own_cpu_put(pid_t tid, int cpu);
void own_cpu_bring(pid_t tid);
void own_cpu_check(uint64_t now, bool needed);
bool own_cpu_is_short(uint64_t ns);
void own_cpu_charge(uint64_t ns);
bool own_cpu_is_urgent(void);
bool own_cpu_move(int cpu);
int own_cpu_now(void);
size_t own_cpu_allowed(void);
void own_cpu_sleeps(void);
bool own_cpu_has_waited(void);
int own_cpu_since(uint64_t *since);

void own_cpu_callers(cpu_set_t *set);
bool own_cpu_lend(int most);
void own_cpu_free(const cpu_set_t *cpus);

/* starved.c: a way out of a CPU that we do not get */
void starved_init(void);
void starved_save(void (*run)(void *), void *arg);
void starved_kill(void);
void starved_beat(void);
void starved_sleep(uint64_t until);
bool starved_on(int cpu);
bool starved_is_hopeless(void);

#endif
