#!/bin/sh
# The last tracee goes without a word, because a thread of its own that nobody traces executes a program: profsup ends
# all the same.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target hostile-untraced)" prog
for sampler in $(samplers); do
	timeout -k 1 120 profsup -q --sampler="$sampler" ./prog "$(command -v sh)" -c 'exit 7' >out 2>err
	is "$? $(cat err)" '7 ' "$sampler: profsup ends as the program does"
	rm -f gmon.*
done
done_testing
