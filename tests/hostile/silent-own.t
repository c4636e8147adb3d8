#!/bin/sh
# A file system of the same user's (FUSE) that never answers when a file is made in it, or when the program that it has
# is read: its owner's profile is lost, nobody else's.  (Another user's: silent-directory.t.)
# san: threads
if [ "${PROFSUP_TEST_IN_NS:-}" != 1 ] && [ "$(id -u)" -eq 0 ]; then
	PROFSUP_TEST_IN_NS=1 exec unshare -m --propagation private "$0"
fi
. "$(dirname "$0")/../lib/testlib.sh"
need_root

cp "$(target hostile-fuse)" prog
mkdir dir

# silent WHAT LINE ARGUMENT...: profsup with these, which says so.
silent() {
	what=$1
	line=$2
	shift 2
	rm -f gmon*
	: >out
	profsup "$@" >out 2>err &
	run=$!
	wait_until 60 grep -q -e server -e no out
	grep -q '^no' out && {
		skip "no FUSE: $(cat out)"
		wait $run
		return
	}
	wait_until 60 grep -q forked out
	ok $? "$what: another process forks and ends meanwhile"
	umount -f dir 2>/dev/null # nothing else ends a wait, not even SIGKILL
	wait $run
	is $? 0 "$what: profsup ends as the program does"
	found=0
	for file in gmon.prog*.out; do
		[ "$(calls prog "$file" work)" = 1000 ] && found=1
	done
	is $found 1 "$what: the other process has its profile"
	is "$(grep -cE "^profsup: $line\$" err)" 1 "$what: one line tells of what is lost" || diag_file err
}

# What the test's end of the wait, or our own, makes of it.
ends='(Connection timed out|Software caused connection abort|Transport endpoint is not connected)'
lost="(/([^:]*/)?)?gmon\.prog\.[0-9]*\.out: $ends \(try -d\)" # "/" alone: unmounted by then
unread="[0-9]*: its program can.t be read: $ends: neither its time nor its calls are profiled"
silent 'a file that is made' "$lost" ./prog "$scratch/dir"
silent 'the sum of all' "(/[^:]*/)?gmon\.prog\.out: $ends \(try -d\)" --sum ./prog "$scratch/dir"
silent 'a program' "$unread" ./prog "$scratch/dir" /dev/fuse slow
silent 'a program to report' "$unread" --report ./prog "$scratch/dir" /dev/fuse slow

# More files of the silent one are made than there can be helpers, so some processes are kept from their ends.
profsup ./prog "$scratch/dir" /dev/fuse 80 >out 2>err
if grep -q '^no' out; then
	skip "no FUSE: $(cat out)"
else
	between "$(sed -n 's/^beside //p' out)" 3 1000000 'many files: processes elsewhere end beside those that wait for room'
	is "$(grep -cE "^profsup: $lost\$" err)" 80 'many files: each that is lost is told' || diag_file err
fi
done_testing
