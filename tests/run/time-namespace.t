#!/bin/sh
# In a time namespace our monotonic clock is not the one that the kernel gives perf's samples their time by.
. "$(dirname "$0")/../lib/testlib.sh"
need_root
unshare --time --fork true 2>/dev/null || skip_all 'there are no time namespaces here'
profsup -q --sampler=perf true 2>err || skip_all "$(cat err)"

cp "$(target work)" prog
for ahead in 0 500000 -1; do
	rm -f gmon.*
	unshare --time --monotonic $ahead --boottime 0 --fork profsup -F 1000 --sampler=perf ./prog cpu 300 >out 2>err
	is $? 0 "a clock that is $ahead s ahead: runs" || diag_file err
	# Each stands for three percent more than a tick.
	samples=$(perl -ne '/(\d+) samples/ and print $1' err)
	between "$((samples))" $(($(ticks gmon.*) * 9 / 10)) 400 "a clock that is $ahead s ahead: the ticks are from samples"
done
done_testing
