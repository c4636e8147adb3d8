#!/bin/sh
# A disk that is frozen for a while, as by a snapshot of the volume: whoever writes to it waits, which holds up no program, and
# what was to be written is there when the disk goes on.
. "$(dirname "$0")/../lib/testlib.sh"
need_root

truncate -s 32M image
mkdir disk
{ mkfs.ext4 -q image && mount -o loop image disk; } 2>err || skip_all "no loop device: $(cat err)"
trap 'fsfreeze -u disk 2>/dev/null; umount disk; cd /; rm -rf "$scratch"' EXIT
{ fsfreeze -f disk && fsfreeze -u disk; } 2>err || skip_all "no fsfreeze: $(cat err)"

cp "$(target hold)" prog
cp "$(target work)" other
mkdir elsewhere disk/there

# The run has a process whose file is on the disk, and others that begin and end meanwhile.
mkfifo in
# shellcheck disable=SC2016 # the inner shell expands its own
profsup -F 1000 sh -c '(cd disk/there && ../../prog <../../in >../../ready) & exec 9>in
	until [ -e frozen ]; do sleep 0.02; done
	exec 9>&-
	cd elsewhere
	for _ in 1 2 3 4 5; do ../other cpu 30; done
	echo done >../others; wait; echo all; exit 7' >out 2>err &
run=$!
wait_until 60 test -s ready
fsfreeze -f disk
touch frozen
wait_until 120 test -s others
ok $? 'programs elsewhere begin and end while a file waits for the disk'
wait_until 120 test -s out
ok $? 'and the program that has ended is gone'
fsfreeze -u disk
wait $run
is "$? $(said err)" '7 ' 'afterwards the run ends as it would, and nothing is told'
is "$(find disk/there -name 'gmon.prog.*.out' | wc -l) $(find elsewhere -name 'gmon.other.*.out' | wc -l)" '1 5' \
	'and each has its file'

# More programs end meanwhile than there are helpers.
rm -f frozen others ready disk/there/gmon.*
mkfifo in2
# shellcheck disable=SC2016 # the inner shell expands its own
profsup -F 1000 sh -c 'cd disk/there; ../../prog <../../in2 >../../ready & exec 9>../../in2
	until [ -e ../../frozen ]; do sleep 0.02; done
	exec 9>&-
	sleep 1.5
	i=0
	while [ $i -lt 100 ]; do ../../other cpu 1; i=$((i + 1)); done
	echo done >../../others; wait; exit 7' >out 2>err &
run=$!
wait_until 60 test -s ready
fsfreeze -f disk
touch frozen
wait_until 60 test -s others
ok $? 'a hundred programs of that disk end, and none is held up'
fsfreeze -u disk
wait $run
is "$? $(said err)" '7 ' 'afterwards the run ends as it would, and no file is told to be lost'
is "$(find disk/there -name 'gmon.*.out' | wc -l)" 101 'and each has its file'

# Messages and statistics.  At the end they are waited for, for some seconds.
for what in 'messages -v' 'statistics --stats=disk/file'; do
	rm -f frozen others disk/file gmon.*
	: >disk/file
	: >err
	case $what in
	mess*) to=disk/file ;;
	*) to=err ;;
	esac
	# shellcheck disable=SC2016 # the inner shell expands its own
	profsup "${what#* }" sh -c 'until [ -e frozen ]; do sleep 0.02; done; ./other cpu 30; echo done; exit 7' >others 2>$to &
	run=$!
	wait_until 60 pgrep -P $run sh
	fsfreeze -f disk
	touch frozen
	wait_until 120 test -s others
	ok $? "${what% *} to the disk: the program goes on"
	wait_until 60 is_gone $run
	ok $? "${what% *} to the disk: and profsup ends" || fsfreeze -u disk
	wait $run
	is $? 7 "${what% *} to the disk: as the program did"
	fsfreeze -u disk
	wait_until 60 test -s disk/file
	ok $? "${what% *} to the disk: and they are there afterwards"
done
done_testing
