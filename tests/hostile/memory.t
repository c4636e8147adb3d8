#!/bin/sh
# Programs that claim all the arcs that are read of anyone, in many processes, and executables with all the symbols that
# are kept of anyone: the supervisor stays under 256 MB, and 1 MB for each process that lives, and says what it drops.
. "$(dirname "$0")/../lib/hostile.sh"
need_root
need_userns

# In so many seconds each gets beyond that, or to its end if it takes little; in the long run all come to their end.
seconds=$(rounds 12 600)
base=256
file_kb=80000 # of 4 million arcs, which are 64 MiB of a process's memory

chmod 755 .
cp "$(target hostile-bomb)" bomb
perl "$top/tests/lib/fat.pl" bomb fat 256 || bail fat.pl
cp "$(target hostile-slow-fs)" fs
strip -g fs
# A little less than what is kept of one table, and a file of which a copy takes as much as it is long.
perl "$top/tests/lib/dear.pl" fs dear 110000 50 || bail dear.pl
mknod -m 666 fuse c 10 229 || bail mknod
who=

# start NAME LIVE AFTER OPTIONS COMMAND...: in a directory of its own, in the background; it may have so many processes
# that live, and goes on for AFTER seconds when all of them are there.
start() {
	name=$1
	limit=$((base + $2))
	after=$3
	options=$4
	shift 4
	mkdir -p "$name/mnt"
	chown -R "$nobody:$nobody" "$name"
	(
		cd "$name" || exit
		# shellcheck disable=SC2086 # words
		perl "$testdir/memory.pl" "$limit" "$after" "$seconds" $run $options "$@" >"../$name.out" 2>"../$name.err"
	) &
}

# small NAME LIVE: points, when it is over.
small() {
	between "$(sed -n 's/^peak //p' "$1.out")" 1 $((base + $2)) "$1: the supervisor has at most $base MB and $2 more" ||
		diag_file "$1.out"
	case $(sed -n 's/^end //p' "$1.out") in
	killed) ;;
	0)
		# All files whole, or a line.
		set -- "$1" "$(find "$1" -name 'gmon.*' -size "+${file_kb}k" | wc -l)" "$3"
		[ "$2" -ge "$3" ] || grep -qiE 'dropped|no room|only earlier calls' "$1.err"
		ok $? "$1: it says what it has dropped" || diag_file "$1.err"
		;;
	late)
		diag "$1: not at its end after $seconds s"
		[ "${PROFSUP_TEST_LONG:-0}" = 0 ] || ok 1 "$1: it comes to its end"
		;;
	*) is "$(sed -n 's/^end //p' "$1.out")" 0 "$1: the program ends as it would alone" ;;
	esac
}

# together NAME...: those that were started.  Who is not at its end by now is not waited for.
together() {
	wait
	kill_survivors
	rm -rf -- */mnt
}

run="profsup -u $nobody:$nobody"
start vforks 2 0 '' ../fat vforks 12 88
start lives 25 4 '' ../fat lives 24 88
start sums 2 0 --sum ../fat forks 8 88
start snapshots 5 4 --every=0.5 ../fat lives 4 88
together
run="setpriv --reuid $nobody --regid $nobody --clear-groups profsup"
# shellcheck disable=SC2016 # another shell's
start report 10 1 --report ../dear mnt ../fuse 0 /bin/sh -c '
	for i in 1 2 3 4 5 6 7 8; do ./prog$i & done
	wait
	echo ready
	read -r end || exit 0'
together

small vforks 2 13
small lives 25 25
small sums 2 1
small snapshots 5 5
small report 10 0
done_testing
