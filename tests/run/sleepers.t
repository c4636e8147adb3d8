#!/bin/sh
# A sleeping thread is never stopped, however fast the others are sampled.
# check-all: numbers of samples
. "$(dirname "$0")/../lib/testlib.sh"
others_begin

cp "$(target sleepers)" prog
is "$(./prog 0.2 | tr '\n' ' ')" 'main 0 read 0 futex 0 ' 'alone three sleepers are not scheduled'
for sampler in $(samplers); do
	for hz in 100 4000; do
		rm -f gmon.*
		profsup --sampler="$sampler" -F $hz ./prog 0.5 >out 2>err
		is "$(tr '\n' ' ' <out)" 'main 0 read 0 futex 0 ' "$sampler, $hz Hz: they are not either"
		between_others "$(ticks "$(the_file)")" $((hz / 4)) $((hz * 2)) "$sampler, $hz Hz: the thread that works is sampled"
	done
done

# The CPU time of a thread that has ended is none of the sleeper's.
profsup -q --stats=stats --sampler=ptrace -F 1000 ./prog 0.5 after
between_others "$(statistic samples stats)" 1 $(($(statistic ticks stats) * 11 / 10)) "nor is who sleeps now and then"
done_testing
