/*
 * What a harness only links, if neither it nor its sources have it: what the others do is not of
 * interest and answers 0; what nobody asks for here ends the run.  This file includes no header,
 * since all of these have one address.
 *
 * SPDX-License-Identifier: ISC
 */
void abort(void) __attribute__((noreturn));
long nothing(void);
void absent(void);

long
nothing(void)
{
	return 0;
}

void
absent(void)
{
	abort();
}

#define NOTHING(name) long name(void) __attribute__((weak, alias("nothing")))
#define ABSENT(name)  void name(void) __attribute__((weak, alias("absent")))

NOTHING(bare_fits);
NOTHING(detach_has_calls);
NOTHING(dialect_close);
NOTHING(dialect_counts);
NOTHING(dialect_fork);
NOTHING(exe_forget);
NOTHING(finish_zero);
NOTHING(late_step);
NOTHING(log_line);
NOTHING(memjob_patience);
NOTHING(mounts_may_hang);
NOTHING(objects_note_program);
NOTHING(output_step);
NOTHING(pace_hurry);
NOTHING(pace_wake);
NOTHING(procfs_is_ending);
NOTHING(procfs_is_kernel);
NOTHING(procfs_tracer);
NOTHING(profil_call_place);
NOTHING(sampler_attached);
NOTHING(sampler_end_thread);
NOTHING(sampler_settle);
NOTHING(sampler_start_process);
NOTHING(sampler_start_thread);
NOTHING(sums_zero);
NOTHING(trace_interrupt);
NOTHING(turn_give_way);
NOTHING(window_first_profile);

ABSENT(procfs_thread_wait);
ABSENT(clock_now);
ABSENT(clock_ns);
ABSENT(memory_check);
ABSENT(memory_has);
ABSENT(memory_maps);
ABSENT(priv_become);
ABSENT(priv_may_be_others);
ABSENT(priv_return);
ABSENT(procfs_open);
ABSENT(procfs_user);
