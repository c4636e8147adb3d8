#!/bin/sh
# stderr is a pipe that nobody reads and that the target has filled: our lines are lost, no process waits.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target hostile-stderr)" prog
mkfifo in pipe
mkdir gone
sleep 300 <>pipe &
holder=$!
(cd gone && exec timeout -s KILL 120 profsup ../prog <../in >../out 2>../pipe) &
run=$!
exec 3>in
wait_until 60 grep -q ready out
ok $? 'the target has filled the pipe'
rmdir gone
echo go >&3
wait_until 60 grep -q forked out
ok $? 'it forks although the files of its children can'"'"'t be written'
wait $run
is $? 0 'profsup ends with the target'
exec 3>&-

# The same for what the front says, here that the program ignores a signal.
dd if=/dev/zero of=pipe bs=4096 oflag=nonblock 2>full
timeout -s KILL 120 profsup sh -c 'trap "" TERM; : >ready; until [ -e end ]; do sleep 0.1; done' 2>pipe &
run=$!
wait_until 60 test -e ready
kill -TERM "$(pgrep -P $run)"
sleep 0.2
: >end
wait $run
is $? 0 'profsup has something to say at once, and ends with the target'
kill $holder
done_testing
