#!/bin/sh
# An exec that is never done keeps what a thread waits in from us (--wall): the other processes go on, and have their profiles.
. "$(dirname "$0")/../lib/hostile.sh"
need_userns
who=

cp "$(target hostile-slow-fs)" fs
cp "$(target exec-never)" prog
make_fuse
cat >in-it <<'X'
profsup -q -g --wall -d .. ../prog mem >../said 2>../err &
run=$!
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	sleep 1
	! ls ../gmon.prog.*.out >/dev/null 2>&1 || echo written
done | head -1
kill -TERM $run
(sleep 60; kill -KILL $run) &
wait $run
kill $!
X
./fs mnt "$PWD/fuse" 3600000 /bin/sh ../in-it >out 2>err2
! grep -q '^no' out said || skip_all "needs FUSE and its writes: $(cat out said)"
is "$(cat said)" 'done' 'the other process goes on'
is "$(cat out)" written 'and has its file while the exec is not done' || diag_file err err2
nobody_left
done_testing
