#!/bin/sh
# A file system in user space says what it likes: for each errno no file is made, a line says so, and nothing of us goes on.
. "$(dirname "$0")/../lib/hostile.sh"
need_userns
who=

cp "$(target hostile-slow-fs)" fs
cp "$(target hold)" prog
make_fuse

# The file system lives as long as the shell; the line may come after the program's end.
cat >in-it <<'END'
echo go | ../prog 7
status=$?
for i in $(seq 300); do
	! grep -q gmon.prog ../err || break
	sleep 0.1
done
exit $status
END
# What our own calls mean by these is "not done", "once more" and "too many".
for error in 4 11 24 110 114 115 511; do
	rm -f out
	profsup ./fs mnt "$PWD/fuse" 1:$error /bin/sh ../in-it >out 2>err
	status=$?
	! grep -q '^no' out || skip_all "needs FUSE: $(cat out)"
	is $status 7 "errno $error: the program ends as alone" || diag_file err
	is "$(grep '^profsup: .*gmon\.prog\.[0-9]*\.out: ' err | grep -vc 'timed out')" 1 "errno $error: a line says that there is no file" || diag_file err
done
nobody_left
done_testing
