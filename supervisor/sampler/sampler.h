/*
 * Which thread a tick finds, and how much CPU time a sample stands for.
 *
 * SPDX-License-Identifier: ISC
 */
#ifndef PROFSUP_SAMPLER_H
#define PROFSUP_SAMPLER_H

#include "process/process.h"

/* pace.c: when the next tick comes */
void pace_set(struct profsup *ps, uint64_t look);
void pace_wake(struct profsup *ps);
void pace_hurry(struct profsup *ps, uint64_t ns);
void pace_soon(struct profsup *ps, uint64_t ns);

/* sampler.c */
struct sampler {
	const char *name;
	int (*init)(struct profsup *ps);
	void (*start_thread)(struct profsup *ps, struct tracee *t, bool new_thread);
	void (*begin_tick)(struct profsup *ps);
	void (*tick_process)(struct profsup *ps, struct proc *proc, uint64_t now);
	void (*end_tick)(struct profsup *ps);
	void (*stopped)(struct profsup *ps, struct tracee *t, const struct arch_regs *regs);
	void (*forgive)(struct profsup *ps, struct proc *proc, uint64_t most);
	void (*spared)(struct profsup *ps, struct tracee *t);
	void (*end_thread)(struct profsup *ps, struct tracee *t);
	void (*settle)(struct profsup *ps);
};
extern const struct sampler sampler_ptrace, sampler_perf;
void sampler_perf_prepare(struct profsup *ps);
void sampler_prepare(struct profsup *ps);
int sampler_init(struct profsup *ps);
void sampler_tick(struct profsup *ps, uint64_t now);
const char *sampler_name(const struct profsup *ps);
void sampler_stopped(struct profsup *ps, struct tracee *t, const struct arch_regs *regs);
void sampler_start_thread(struct profsup *ps, struct tracee *t, bool new_thread);
void sampler_start_process(struct profsup *ps, struct proc *proc);
void sampler_spared(struct profsup *ps, struct tracee *t);
void sampler_end_thread(struct profsup *ps, struct tracee *t);
void sampler_attached(struct profsup *ps);
void sampler_settle(struct profsup *ps);

/* round.c: which threads a tick stops */
void round_begin(struct profsup *ps);
bool round_add(struct profsup *ps, const struct proc *proc);
void round_end(struct profsup *ps);
void round_step(struct profsup *ps);
pid_t round_news(struct profsup *ps, int *status);
bool round_is_under_way(const struct profsup *ps);

/* oncpu.c: which thread had the CPU that we have */
size_t oncpu_find(const uint64_t *left, size_t n, uint64_t ours);
bool oncpu_all_along(const struct cpu_look *last, const struct cpu_look *now);
bool oncpu_is_to_stop(bool had, int cpu, int here, bool reach_out);

/* calls.c: samples that the stop, and not the tick, put at the end of a system call */
uint64_t calls_room(struct calls *c, uint64_t system);
uint64_t calls_most_ticks(const struct profsup *ps, struct tracee *t, const struct arch_regs *regs);

/* callers.c: the call stack of a sample */
const struct stack *callers_find(const struct profsup *ps, struct tracee *t,
                                 const struct arch_regs *regs, struct stack *stack);
const struct stack *callers_find_in(const struct profsup *ps, struct proc *proc,
                                    const struct perf_sample *s, struct stack *stack);
bool callers_settle(const struct profsup *ps, struct proc *proc, bool last_chance);
bool callers_find_waiting(const struct profsup *ps, struct tracee *t,
                          const struct thread_wait *wait, struct stack *stack);
void callers_credit(const struct profsup *ps, struct proc *proc, uint64_t pc, uint64_t ticks,
                    const struct stack *stack);

/* owed.c */
int64_t owed_lead(uint64_t period, int64_t until_tick, uint64_t chance);
void owed_begin(struct owed *o, int64_t lead);
void owed_forgive(struct owed *o, const struct thread_time *time);
bool owed_add(struct owed *o, struct owed_sum *sum, const struct thread_time *time);
uint64_t owed_take(struct owed *o, struct owed_sum *sum, uint64_t period, uint64_t left,
                   uint64_t most);
uint64_t owed_end(struct owed *o, struct owed_sum *sum, uint64_t period);
void owed_leave(struct owed_sum *sum, int64_t rest);
uint64_t owed_settle(struct owed_sum *sum, uint64_t period, uint64_t dither);
bool owed_is_crowded(const struct owed *o);

/* cpu_time.c: CPU time into ticks */
int cpu_time_read(struct tracee *t, struct thread_time *time);
void cpu_time_init(void);
int cpu_time_wait(struct tracee *t, struct thread_wait *wait);
int cpu_time_left(struct tracee *t, uint64_t *left);
int cpu_time_stat(struct tracee *t, struct thread_stat *st);
void cpu_time_forgive(struct tracee *t);
void cpu_time_start(struct profsup *ps, struct tracee *t, bool new_thread);
uint64_t cpu_time_collect(const struct profsup *ps, struct tracee *t, uint64_t left, uint64_t most);
uint64_t cpu_time_end(const struct profsup *ps, struct tracee *t);
void cpu_time_credit(struct profsup *ps, struct proc *proc, uint64_t pc, uint64_t ticks,
                     const struct stack *stack);
void cpu_time_credit_unfound(struct profsup *ps, struct tracee *t, uint64_t last_pc,
                             uint64_t ticks);

/* recent.c: where the last samples of each program were */
void recent_note(const struct proc *proc, uint64_t pc, const struct stack *stack);
uint64_t recent_any(const struct proc *proc, struct stack *stack);

/* wall_sum.c: pure */
struct wall_part wall_sum_add(struct wall_sum *s, uint64_t now, const struct thread_time *time);
uint64_t wall_pause(uint64_t slept, size_t busy, size_t all);

/* wall.c: where threads wait */
void wall_start(struct profsup *ps, struct tracee *t);
void wall_end(struct profsup *ps, struct tracee *t);
void wall_settle(struct profsup *ps, struct proc *proc, bool goes_on);
void wall_tick(struct profsup *ps, uint64_t now);
uint64_t wall_wait(const struct profsup *ps, uint64_t now);

/* nap.c: since when a thread sleeps whose waits are disturbed */
void nap_look(const struct profsup *ps, struct proc *proc, uint64_t now);
uint64_t nap_began(struct tracee *t);

/* nomigrate.c: no thread changes CPUs because it is sampled */
void nomigrate_init(void);
void nomigrate_begin(bool lone);
void nomigrate_end(void);

#endif
