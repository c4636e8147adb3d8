#!/bin/sh
# An exec that is never done keeps what /proc tells of it from us: the other processes go on.  Where the kernel locks so much
# that the supervisor waits for it (Linux 6.18), that is killed after 5 s, and what was counted until then is saved.
. "$(dirname "$0")/../lib/hostile.sh"
need_userns
who=

cp "$(target hostile-slow-fs)" fs
cp "$(target exec-never)" prog
make_fuse

# is_over: the first process has ended, by its file or by that of profsup's end.  (What else tells may wait for the exec.)
is_over() {
	[ -e ended ] || [ -n "$(ls gmon.prog.*.out 2>/dev/null)" ]
}

# is_saved: a file has all the calls of before, and as much time as it should at the least.
is_saved() {
	for file in gmon.prog.*.out; do
		[ "$(ticks "$file")" -lt 20 ] || [ "$(calls prog "$file" work)" != 1000 ] || return 0
	done
	return 1
}

# never OPTION...: with these.
never() {
	rm -f said over ended gmon.*
	cat >in-it <<-X
		(profsup -q $* -d .. ../prog mem >../said 2>../err; : >../ended) &
		until [ -e ../over ]; do
			sleep 0.1
		done
	X
	./fs mnt "$PWD/fuse" 3600000 /bin/sh ../in-it >out 2>err2 &
	fs=$!
	wait_until 30 is_over
	ok $? "$*: the others end" || diag_file said err err2
	: >over # the file system ends, and so does the exec
	wait $fs
	wait_until 60 test -e ended
	! grep -q '^no' out said || skip_all "needs FUSE and io_submit: $(cat out said)"
	is "$(cat said)" 'done' "$*: and what they do is done"
	is_saved
	ok $? "$*: what was counted before is in a file" || diag_file err
	is "$(grep -vE ': the kernel has kept the supervisor waiting for 5 s: |: its calls can.t be read: No such process' err)" '' "$*: nothing is said but why the profile ends"
}
never -F 100
never -g --wall
nobody_left
done_testing
