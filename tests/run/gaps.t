#!/bin/sh
# While the supervisor has no CPU nobody knows where the program is: that time is told, and is in no bin.
# check-all: CPU time, as measured
. "$(dirname "$0")/../lib/testlib.sh"
# shellcheck source=tests/lib/proclib.sh
. "$top/tests/lib/proclib.sh"

cp "$(target work)" prog
profsup --sampler=ptrace --stats=stats -F 100 ./prog busy 4000 >out 2>err &
front=$!
wait_until 60 pgrep -P $front -x prog
target=$(pgrep -P $front -x prog)
wait_until 60 test -n "$(supervisor_of "$target")"
supervisor=$(supervisor_of "$target")
sleep 1
kill -STOP $front # which would have it go on at once
kill -STOP "$supervisor"
sleep 1
kill -CONT "$supervisor"
kill -CONT $front
wait $front
is $? 0 'a supervisor that got no CPU for a second, of four: the program ends as ever'
unseen=$(statistic unseen_ticks stats)
between "$unseen" 1 105 'the ticks of that second are counted'
between "$(($(statistic gaps_ns stats) / 1000000))" 900 2000 'and its length'
read -r _ _ _ _ cpu _ <out
between "$(($(ticks "$(the_file prog)") + unseen))" $((cpu / 10000000 - 15)) $((cpu / 10000000 + 15)) \
	'with them the file has all of the CPU time'
grep -q "profsup got no CPU for [2-9][0-9] % of the time: the shares are unreliable" err
ok $? 'who runs it is told' || diag_file err

rm -f gmon.*
profsup --sampler=ptrace --stats=stats -F 100 ./prog busy 500 >out 2>err
ok "$(grep -c "don't trust" err)" 'and not of a run without such a gap'
done_testing
