#!/bin/sh
# -p of a process whose exec is never done: it is given up, and the others are profiled.
. "$(dirname "$0")/../lib/hostile.sh"

cp "$(target hostile-exec)" hostile
cp "$(target lively)" lively
trap 'kill -9 ${pids:-} 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

./hostile >ready &
pids=$!
./lively 120000 >out &
lively=$!
pids="$pids $lively"
wait_until 60 grep -q '^ready' ready
wait_until 60 is_going $lively
stuck=$(sed -n 's/^ready //p' ready)
pids="$pids $stuck"
timeout -k 1 60 profsup -a --duration=300ms -p "$lively,$stuck" 2>err
is "$?" 0 'profsup ends' || diag_file err
is "$(grep -c "^profsup: -p $stuck: can't attach: it executes a program, which is not done" err)" 1 'and says which one it could not profile' || diag_file err
[ -f "gmon.lively.$lively.out" ]
ok $? 'the other one has a file'
done_testing
