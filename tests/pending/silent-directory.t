#!/bin/sh
# A directory that never answers when a file is made in it (FUSE, a server that is gone): its owner's profile is lost,
# nobody else's.
# (Of the same user, that is: tests/hostile/silent-directory.t.)
if [ "${PROFSUP_TEST_IN_NS:-}" != 1 ] && [ "$(id -u)" -eq 0 ]; then
	PROFSUP_TEST_IN_NS=1 exec unshare -m --propagation private "$0"
fi
. "$(dirname "$0")/../tap/testlib.sh"
need_root

cp "$(target hostile-fuse)" prog
mkdir dir
profsup ./prog "$scratch/dir" >out 2>err &
run=$!
wait_until 10 grep -q -e server -e no out
grep -q '^no' out && {
	skip "no FUSE: $(cat out)"
	wait $run
	done_testing
}
wait_until 20 grep -q forked out
ok $? 'another process forks and ends meanwhile'
umount -f dir 2>/dev/null # nothing else ends it, not even SIGKILL
wait $run
is $? 0 'profsup ends as the program does'
found=0
for file in gmon.prog.*.out; do
	[ "$(calls prog "$file" work)" = 1000 ] && found=1
done
is $found 1 'the other process has its profile'
is "$(grep -c '^profsup: gmon\.prog\.[0-9]*\.out: ' err)" 1 'one line tells of what is lost' || diag_file err
done_testing
