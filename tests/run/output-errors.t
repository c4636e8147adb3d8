#!/bin/sh
# A file that can't be written: one line that names file, reason and way out, and nothing else.
#
# In a mount namespace of its own, for small and read-only file systems.
if [ "${PROFSUP_TEST_IN_NS:-}" != 1 ] && [ "$(id -u)" -eq 0 ]; then
	PROFSUP_TEST_IN_NS=1 exec unshare -m --propagation private "$0"
fi
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/hold.sh"
need_root

cp "$(target hold)" prog
chmod 755 prog
nobody='setpriv --reuid 65534 --regid 65534 --clear-groups'
dir=$scratch/dir
mkdir "$dir"

# failed REASON WHAT [DIRECTORY]
failed() {
	is "$status" 7 "$2: the exit status is the target's"
	is "$(said err)" "profsup: ${3:-$dir}/$name: $1 (try -d)" \
		"$2: one line names file, reason and way out"
}

small() {
	mount -t tmpfs -o "$1" none "$dir" || bail "can't mount a tmpfs"
	chmod 777 "$dir"
}

small size=16k
hold_start "$dir" profsup "$scratch/prog" 7
head -c 100000 /dev/zero >"$dir/filler" 2>/dev/null
hold_end
failed 'No space left on device' 'a full file system'
is "$(ls -A "$dir")" filler 'a full file system: nothing half-written is left'
umount "$dir"

small nr_inodes=3
hold_start "$dir" profsup "$scratch/prog" 7
touch "$dir/one" "$dir/two"
hold_end
failed 'No space left on device' 'a file system without inodes'
is "$(cd "$dir" && echo .[!.]* *)" '.[!.]* one two' 'a file system without inodes: there is no file'
umount "$dir"

small size=1m
hold_start "$dir" profsup "$scratch/prog" 7
mount -o remount,ro "$dir"
hold_end
failed 'Read-only file system' 'a file system that is read-only by then'
is "$(ls -A "$dir")" '' 'a file system that is read-only by then: there is no file'
umount "$dir"

# Full in the middle of a file: the bins of prog take several blocks.
small size=64k
hold_start "$dir" profsup --sampler=ptrace -F 10000 "$scratch/prog" 7
head -c 61440 /dev/zero >"$dir/filler"
hold_end
if [ "$status $(said err)" = '7 ' ]; then
	is "$(calls "$scratch/prog" "$dir/$name" work)" 12345 'a file that just fits is whole'
else
	failed 'No space left on device' 'a file system that is nearly full'
fi
is "$(temp_files "$dir")" 0 'a file system that is nearly full: nothing half-written is left'
umount "$dir"

# Nobody may write here.
chmod 755 "$dir"
for who in "profsup $nobody" "$nobody profsup"; do
	# shellcheck disable=SC2086 # words
	hold_start "$dir" $who "$scratch/prog" 7
	hold_end
	failed 'Permission denied' "$who: a directory of somebody else"
	is "$(ls -A "$dir")" '' "$who: there is no file"
done

# It is the recorded identity's rights that count, not the supervisor's.
chown 65534 "$dir"
chmod 555 "$dir"
hold_start "$dir" profsup "$scratch/prog" 7
hold_end
is "$status $(said err) $(stat -c %u "$dir/$name")" '7  0' \
	'root writes where only root may, as it would itself'
rm -f "$dir"/gmon.*
# shellcheck disable=SC2086 # words
hold_start "$dir" profsup $nobody "$scratch/prog" 7
hold_end
failed 'Permission denied' "a directory that even its owner can't write"
chmod 755 "$dir"

mkdir "$dir/gone"
hold_start "$dir/gone" profsup "$scratch/prog" 7
rmdir "$dir/gone"
hold_end
failed 'No such file or directory' 'a directory that is gone' "$dir/gone (deleted)"

# Quiet is about notices.
mkdir "$dir/gone"
hold_start "$dir/gone" profsup -q "$scratch/prog" 7
rmdir "$dir/gone"
hold_end
failed 'No such file or directory' 'with -q, a directory that is gone' "$dir/gone (deleted)"

# -d is the way out, also where the owner is somebody else: the caller may write there.
mkdir "$dir/gone" "$scratch/mine"
chown 65534 "$scratch/mine"
hold_start "$dir/gone" profsup -d "$scratch/mine" "$scratch/prog" 7
rmdir "$dir/gone"
hold_end
is "$status $(said err)" '7 ' 'with -d a target in a directory that is gone has a file' ||
	diag "$(ls -la "$scratch/mine")"
is "$(stat -c '%a %u' "$scratch/mine/$name")" '600 0' "and it is the caller's, 0600"

# Under -d there is no better advice.
mkdir "$scratch/full"
mount -t tmpfs -o size=16k none "$scratch/full"
hold_start "$scratch" profsup -d "$scratch/full" "$scratch/prog" 7
head -c 100000 /dev/zero >"$scratch/full/filler" 2>/dev/null
hold_end
is "$status $(said err)" "7 profsup: $scratch/full/$name: No space left on device" \
	'with -d the line does not advise -d'
umount "$scratch/full"

# A sum that could not be written has its own name when there is room again.
mkdir "$dir/sum"
mount -t tmpfs -o size=128k none "$dir/sum"
cat >three <<EOF
for i in 1 2 3; do
	echo go | "$scratch/prog" 0
	rm -f filler
done
EOF
for template in gmon.%n.out gmon.%n.%p.out; do
	head -c 1000000 /dev/zero >"$dir/sum/filler" 2>/dev/null
	(cd "$dir/sum" && profsup --sum -o "$template" sh "$scratch/three" >"$scratch/out" 2>"$scratch/err")
	is "$(said err | sed 's/prog\.[0-9]*\./prog./')" "profsup: $dir/sum/gmon.prog.out: No space left on device (try -d)" \
		"--sum, $template: the first process finds the disk full" || diag_file err
	is "$(find "$dir/sum" -type f -printf '%f\n' | sed 's/prog\.[0-9]*\./prog./')" gmon.prog.out \
		"--sum, $template: what the next ones write has the name that it was to have"
	is "$(calls "$scratch/prog" "$dir"/sum/gmon.prog.*out work)" 37035 "--sum, $template: and all of them are in it"
	rm -f "$dir"/sum/*
done
umount "$dir/sum"

# One process's failure stops nothing else: a shell runs two, one in a bad place.
mkdir "$dir/gone"
cat >two <<EOF
cd "$dir/gone" && rmdir "$dir/gone" && "$scratch/prog" 3 </dev/null
cd "$scratch" && echo go | "$scratch/prog" 5
EOF
rm -f gmon.*
profsup sh two >out 2>err
is "$? $(grep -c 'No such file or directory (try -d)$' err) $(said err | wc -l)" '5 1 1' \
	'one process without a file is one line and does not touch the others'
is "$(calls prog "$(the_file prog)" work)" 12345 'which have theirs'

# Limits of the caller that can be raised are not the file's.
rm -f gmon.*
(
	# shellcheck disable=SC3045 # dash and bash both have -S
	ulimit -S -f 0
	echo go | profsup ./prog 7
) >/dev/null 2>&1
is "$? $(stat -c %a gmon.*)" '7 600' 'a soft limit on file sizes does not hold for the file'
(
	# shellcheck disable=SC3045 # dash and bash both have -f
	ulimit -f 0
	echo go | profsup ./prog 7
) 2>&1 >/dev/null | cat >err
is "$(said err | sed 's/prog\.[0-9]*/prog.N/')" "profsup: $scratch/gmon.prog.N.out: File too large (see ulimit -H -f)" \
	'a hard limit does, and that is said'

# Whether there can be a file is told while the program runs, of the program that will have one.
mkdir closed open
chmod 755 closed . && chmod 777 open
cat >loop <<EOF
while [ ! -e "$scratch/over" ]; do i=0; while [ \$i -lt 20000 ]; do i=\$((i + 1)); done; done
EOF
said_early="profsup: sh: its file can't be made in $scratch/closed as uid 65534: Permission denied (try -d)"
for option in -a '-a --sum'; do
	rm -f over err
	# shellcheck disable=SC2086 # words
	(cd closed && exec $nobody profsup $option sh "$scratch/loop") 2>err &
	wait_until 60 grep -qxF "$said_early" err
	ok $? "$option: that there can be no file is told while the program runs" || diag_file err
	touch over
	wait $!
	is "$(grep -cF "$said_early" err) $(grep -c 'Permission denied (try -d)$' err)" '1 2' "$option: once, and of the file when it is due" || diag_file err
done
mkdir disk
mount -t tmpfs -o size=16k none disk
head -c 100000 /dev/zero >disk/filler 2>/dev/null
for option in '' "-d $scratch/disk"; do
	rm -f over err
	advice=' (try -d)'
	[ -z "$option" ] || advice=
	# shellcheck disable=SC2086 # words
	(cd disk && exec profsup -a $option sh "$scratch/loop") 2>err &
	wait_until 60 grep -qxF "profsup: sh: its file can't be made in $scratch/disk as uid 0: No space left on device$advice" err
	ok $? "${option:+with -d }a full disk is told while the program runs" || diag_file err
	touch over
	wait $!
done
umount disk
rm -f over err
(cd closed && exec $nobody profsup -a sh -c "cd '$scratch/open' && sh '$scratch/loop'; true") 2>err &
sleep 4 # it would be told after two seconds
touch over
wait $!
# A tick may find it at its start: then it has a profile, whose loss is told at its end, too.
lost=$(grep -c 'closed/gmon\.sh\.[0-9]*\.out: Permission denied' err)
[ "$(grep -c "can't be made" err)" -le "$lost" ] && [ "$(find open -name 'gmon.sh.*' | wc -l)" -eq 1 ]
ok $? 'nothing is told of a shell that only waits for what runs elsewhere' || diag_file err
rm -f over err
(cd closed && exec profsup -a --duration=4s sh "$scratch/loop") 2>err &
wait_until 60 grep -q 'own CPU' err
touch over
wait $!
is "$(grep -c "can't be made" err) $(find closed -name 'gmon.sh.*' | wc -l)" '0 1' 'nor where root may write' || diag_file err
done_testing
