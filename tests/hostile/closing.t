#!/bin/sh
# A close that is interrupted has closed its descriptor, and is not made again: its number may be another file's by then.
. "$(dirname "$0")/../lib/hostile.sh"
need_userns
who=

cp "$(target closing)" prog
make_fuse
timeout --foreground 60 ./prog mnt "$PWD/fuse" >out
! grep -q '^no' out || skip_all "needs FUSE: $(cat out)"
is "$(cat out)" '0 of 300' 'alone each closes its own'
for sampler in $(samplers); do
	timeout --foreground 60 profsup -a -q -F 1000 --sampler="$sampler" ./prog mnt "$PWD/fuse" >out
	is "$(cat out)" "0 of 300" "$sampler: so it does under profsup"
done
nobody_left
done_testing
