#!/bin/sh
# A thread that is sampled goes on where it was, also while another CPU has nothing to do.
# san: threads
. "$(dirname "$0")/../lib/testlib.sh"
# shellcheck source=tests/lib/proclib.sh
. "$top/tests/lib/proclib.sh"

[ "$(id -u)" -eq 0 ] || skip_all 'needs the right to real-time priority'
[ "$(nproc)" -gt 1 ] || skip_all 'needs two CPUs'

cp "$(target places)" prog
# At a rate that leaves the supervisor its priority, also on a slow machine.  The scheduler moves the program now and
# then, and often while others want the CPUs: a quiet moment is waited for.
for _ in 1 2 3 4 5; do
	profsup --sampler=ptrace -F 400 --stats=stats ./prog 2000 >out 2>err
	status=$?
	samples=$(statistic samples stats)
	[ "$(cat out)" -gt $((samples / 4)) ] || break
done
is "$status" 0 'the exit status is 0'
between "$samples" 300 1500 'it is sampled'
# Once each sample did.
between "$(cat out)" 0 $((samples / 4)) "few of $samples samples moved it to another CPU"
done_testing
