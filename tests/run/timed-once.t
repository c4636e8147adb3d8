#!/bin/sh
# A wait that one ignored signal disturbs near its end is over in its time, counted from its beginning.
# check-all: on a busy machine it is not seen when a thread falls asleep
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target timed-waits)" prog
timeout 60 ./prog once >alone
for sampler in $(samplers); do
	late=$(wc -l <alone)
	for _ in 1 2 3; do
		timeout 60 profsup --sampler="$sampler" -F 1000 ./prog once >out 2>err
		[ "$(grep -c 'too late' out)" -ge "$late" ] || late=$(grep -c 'too late' out)
		rm -f gmon.*
	done
	is "$(wc -l <out)" "$(wc -l <alone)" "$sampler: all waits end"
	is "$(grep -c 'before its time' out)" 0 "$sampler: and none before its time"
	between "$late" 0 $(($(wc -l <alone) / 4)) "$sampler: nearly all in time"
done
done_testing
