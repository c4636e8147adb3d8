#!/bin/sh
# Installed with file capabilities, the supervisor has real-time priority for as long as there is little to do.
# check-all: on a busy machine the start alone can use it up
. "$(dirname "$0")/../lib/capslib.sh"
chrt -f 1 true 2>/dev/null || skip_all 'needs real-time priority'

cp "$(target hostile-caps)" prog
# What is spent is not to be had again.
for _ in 1 2 3 4; do
	held_by "$caps"
	policy=$(policy_of "$supervisor")
	detach
	[ "$policy" != 1 ] || break
done
is "$policy" 1 'the supervisor of a calm program has real-time priority'
held_by "$plain"
is "$(policy_of "$supervisor")" 0 'which it has from its file'
detach
member timeout -k 1 60 "$caps" -q ./prog flood 20000 >out 2>err &
job=$!
pid=$(ready_pid out)
supervisor=$(supervisor_of "$pid")
front=$(stat_field "$pid" 2)
is_calmed() {
	[ "$(policy_of "$supervisor")" = 0 ]
}
wait_until 60 is_calmed
ok $? 'that of one which keeps it busy loses it'
kill "$front"
wait "$job"
wait_until 60 is_gone "$supervisor"
ok $? 'and ends with the last of its processes'
done_testing
