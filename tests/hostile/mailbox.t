#!/bin/sh
# A program that lies in its mailbox harms nobody but itself: see struct profsup_mailbox.
# check-all: a share of CPU time
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target hostile-mailbox)" prog
for sampler in $(samplers); do
	rm -f gmon.*
	timeout -s KILL 60 profsup -q --stats=stats --sampler="$sampler" ./prog flood >out 2>err
	is "$? $(said err)" '0 ' "$sampler: a flood of dear calls does no harm" || diag_file err
	between "$(statistic own_cpu_percent stats)" 0 50 "$sampler: and costs a bounded part of our time"
	rm -f gmon.*
	timeout -s KILL 60 profsup -q -F 1000 --sampler="$sampler" ./prog lies >out 2>err
	is "$?" 0 "$sampler: nor do calls and numbers that nobody would leave" || diag_file err
	[ -s "gmon.prog.$(ready_pid out).out" ]
	ok $? "$sampler: its parent's file is written"
done
done_testing
