#!/bin/sh
# The calls of a program can't be read, since a page of their table never comes (FUSE): profsup ends all the same.
. "$(dirname "$0")/../lib/hostile.sh"
need_userns
who=

cp "$(target hostile-slow-fs)" fs
cp "$(target late-arcs)" late
make_fuse
cat >in-it <<'X'
profsup -q -d .. ../late mem >../said 2>../err &
front=$!
until grep -q '^2$' ../said; do
	sleep 0.1
done
kill -TERM $front
(sleep 100; kill -KILL $front) &
wait $front
echo "ended by $?"
kill $!
X
./fs mnt "$PWD/fuse" 3600000 /bin/sh ../in-it >out 2>err2
! grep -q '^no' out || skip_all "needs FUSE: $(cat out)"
is "$(sed -n 's/^ended by //p' out)" 143 'it ends as its program does, 15 s later' || diag_file out err err2
nobody_left
done_testing
