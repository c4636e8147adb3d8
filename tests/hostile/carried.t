#!/bin/sh
# A system call that is carried on is one that the program's own filter has let through, and its own image's.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target hostile-carried)" prog
for how in refused broker; do
	timeout -s KILL 60 profsup -q --sampler=ptrace -F 1000 ./prog $how >out 2>err
	is "$? $(cat out)" '0 0' "$how: what the filter answers is not made all the same" || diag_file err
done
failed=0
for _ in $(seq "$(rounds 4 8)"); do
	timeout -s KILL 60 profsup -q --sampler=ptrace -F 1000 ./prog exec >out 2>err
	[ $? -eq 7 ] || failed=$((failed + 1))
done
is $failed 0 'a program that is executed in the middle of a call has its own registers'
done_testing
