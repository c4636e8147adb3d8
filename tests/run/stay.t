#!/bin/sh
# A thread that is sampled goes on where it was, also while another CPU has nothing to do.
# san: threads
# check-all: numbers of samples
. "$(dirname "$0")/../lib/testlib.sh"
others_begin

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
between_others "$samples" 300 1500 'it is sampled'
# Once each sample did.
between_others "$(cat out)" 0 $((samples / 4)) "few of $samples samples moved it to another CPU"

# Nor does that make the kernel believe that the supervisor is a great load: without its priority it would then wait for
# seconds, as its whole session counts for nothing.  A load is 1024 at the most, of each thread that wants a CPU.
cp "$(target work)" .
rivals=
for _ in $(seq "$(nproc)"); do
	setsid perl -e 'alarm 60; 1 while 1' &
	rivals="$rivals $!"
done
profsup -q -F 1000 ./work tree 1500 >out 2>err &
front=$!
supervisor=
wait_until 60 pgrep -P $front -x profsup
supervisor=$(pgrep -P $front -x profsup)
most=$(while cat "/proc/$supervisor/sched"; do
	sleep 0.005
done 2>/dev/null | awk '$1 == "se.avg.load_avg" && $3 > most { most = $3 } END { print most + 0 }')
wait $front
# shellcheck disable=SC2086 # numbers
kill $rivals
between "$most" 0 4096 "among others that want the CPUs its load remains that of one thread"
done_testing
