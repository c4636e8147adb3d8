#!/bin/sh
# caps-use.t by numbers: under an installation with file capabilities perf's samples come from the events that processes
# inherit.
# check-all: numbers of samples
. "$(dirname "$0")/../lib/capslib.sh"
others_begin

if member "$plain" -q --sampler=perf true 2>err; then
	skip_all 'needs a kernel that refuses perf_event_open to users'
fi
member "$caps" -q --sampler=perf true 2>err ||
	skip_all "needs CAP_PERFMON in a file to be good for perf_event_open: $(cat err)"
cp "$(target count)" prog
# shellcheck disable=SC2016 # the inner shell's
member timeout -k 1 60 "$caps" -q -F 1000 --sampler=perf --stats=stats \
	sh -c 'for i in 1 2; do sh -c "exec ./prog 3000000" & done; wait; exec ./prog 1000' >out 2>err
cpu=$(($(statistic cpu_ns stats) / 1000000))
between_others "$(($(statistic samples stats) + $(statistic lost_samples stats)))" $((cpu / 2)) 1000000 "there is one for half of $cpu ms"
done_testing
