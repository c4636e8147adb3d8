/*
 * What the supervisor could ask the kernel and does not of simulated programs: to do so ends the
 * simulation.  This file includes no header, since all of these have one address.
 *
 * SPDX-License-Identifier: ISC
 */
void abort(void) __attribute__((noreturn));
long write(int fd, const void *buf, unsigned long size);
void absent(void);

void
absent(void)
{
	static const char text[] = "sim: a call that is not simulated\n";

	write(2, text, sizeof(text) - 1);
	abort();
}

extern const unsigned arch_elf_machine;
const unsigned arch_elf_machine = 0;
extern const _Bool arch_stops_cut_calls;
const _Bool arch_stops_cut_calls = 0;

#define ABSENT(name) void name(void) __attribute__((weak, alias("absent")))

ABSENT(apart_memory);
ABSENT(apart_start);
ABSENT(apart_wait);
ABSENT(perf_events_drop);
ABSENT(perf_events_open);
ABSENT(perfring_busy);
ABSENT(perfring_close);
ABSENT(perfring_drain);
ABSENT(perfring_init);
ABSENT(perfring_open);
ABSENT(perfring_open_tree);
ABSENT(perfring_room);
ABSENT(perfring_want_stacks);
ABSENT(perfring_would_do);
ABSENT(procfs_account_lag);
ABSENT(procfs_born);
ABSENT(procfs_thread_runs);
ABSENT(procfs_thread_sleeps);
ABSENT(procfs_signal_use);
ABSENT(procfs_comm);
ABSENT(procfs_entry);
ABSENT(procfs_exec_start);
ABSENT(procfs_fd_link);
ABSENT(procfs_fd_file);
ABSENT(procfs_has_filter);
ABSENT(procfs_identity);
ABSENT(procfs_inner_pid);
ABSENT(procfs_is_elevated);
ABSENT(procfs_is_ending);
ABSENT(procfs_is_kernel);
ABSENT(procfs_is_script);
ABSENT(procfs_is_strict);
ABSENT(procfs_is_zombie);
ABSENT(procfs_limits_files);
ABSENT(procfs_open);
ABSENT(procfs_perf_max_rate);
ABSENT(procfs_process_cpu);
ABSENT(procfs_processes);
ABSENT(procfs_runs_in);
ABSENT(procfs_thread_open);
ABSENT(procfs_thread_stat);
ABSENT(procfs_thread_time);
ABSENT(procfs_thread_wait);
ABSENT(procfs_threads);
ABSENT(procfs_user);
ABSENT(procfs_waits_for_answer);
ABSENT(procfs_yama_scope);
ABSENT(thread_start);
ABSENT(trace_end_call);
ABSENT(trace_filters_allow);
ABSENT(trace_is_fault);
ABSENT(trace_is_from_inside);
ABSENT(trace_made);
ABSENT(trace_make_call);
ABSENT(trace_seize);
ABSENT(trace_set_number);
ABSENT(trace_set_result);
