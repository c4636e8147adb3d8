#!/bin/sh
# A program with thousands of seccomp filters: whether they allow the rest of a call is not asked for ever.
. "$(dirname "$0")/../lib/hostile.sh"
need_root
who=

cp "$(target many-filters)" prog
for n in 1 3000; do
	profsup -a -q --sampler=ptrace -F 1000 --stats=stats.$n ./prog $n >out
	[ "$(cat out)" -ge $n ] || skip_all "it may have no more than $(cat out) filters"
	rm -f gmon.*
done
diag "own CPU time: $(statistic own_cpu_ns stats.1) ns with one filter, $(statistic own_cpu_ns stats.3000) ns with 3,000"
# Each stop in a call took 0.2 s: more than a thousand times as much in all.  A busy machine makes it some times as much.
between "$(statistic own_cpu_ns stats.3000)" 0 $((100 * $(statistic own_cpu_ns stats.1))) 'they cost us next to nothing'
nobody_left
done_testing
