#!/bin/sh
# The profile ends (--duration) while a process's end waits for its file, which comes late (FUSE): it goes on, however long
# another one can't be let go.
. "$(dirname "$0")/../lib/hostile.sh"
need_userns
who=

cp "$(target hostile-slow-fs)" fs
cp "$(target ended)" prog
make_fuse
seconds=6
./fs mnt "$PWD/fuse" 30000 /bin/sh -c "profsup -a -q --sampler=ptrace -F 1000 --duration=1.5s ../prog $seconds" >out 2>err
status=$?
! grep -q '^no' out || skip_all "needs FUSE: $(cat out)"
is $status 0 'it ends as alone' || diag_file err
# Each end waits for a second; one that nobody lets go on, until the other's end.
between "$(sed -n 's/ ms$//p' out)" 0 $((seconds * 1000 / 2)) 'no process stays in its end'
nobody_left
done_testing
