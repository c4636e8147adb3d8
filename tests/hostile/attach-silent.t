#!/bin/sh
# -p with several processes, of which some have executables that come late (FUSE): the others are served meanwhile.
# check-all: how soon others are served
. "$(dirname "$0")/../lib/hostile.sh"
need_root
who=
need_userns

cp "$(target lively)" lively
cp "$(target hostile-slow-fs)" fs
mknod fuse c 10 229 || bail mknod
mkfifo end
mkdir mnt m1 m2 m3 m4 m5 m6
# late: the processes whose executables are in there: servers of other such directories, which wait for requests.
late() {
	for exe in /proc/[0-9]*/exe; do
		case $(readlink "$exe") in
		"$scratch"/mnt/prog*) basename "${exe%/exe}" ;;
		esac
	done
}
all_are_there() {
	[ "$(late | wc -l)" -eq 6 ]
}
# shellcheck disable=SC2016 # another shell's
./fs mnt fuse 2000 /bin/sh -c '
	for i in 1 2 3 4 5 6; do ./prog$i ../m$i ../fuse 2000 /bin/true & done
	read -r end <../end' >fs.out &
wait_until 20 all_are_there || {
	diag_file fs.out
	skip_all 'needs FUSE'
}
# On a busy machine it may be over before the files have come.
for ms in 4000 16000 64000; do
	./lively $ms >out &
	pid=$!
	wait_until 60 is_going $pid
	profsup -v -p "$pid $(late | xargs)" 2>err
	status="$? $(grep -c ": its file can't be read as an ELF file$" err)"
	[ "$status" != '0 6' ] || break
done
is "$status" '0 6' 'late ones are not profiled'
# By the end of the last attach, the first one's threads and children were to be served.
perl -ne '/^profsup: -p / and $last = $., $first //= $.; /: new (process|thread) / and push @new, $.;
	END { print scalar(grep { $_ > $first && $_ < $last } @new), "\n" }' err >served
between "$(cat served)" 1 1000000 'another one makes threads and children meanwhile' || diag_file err
wait "$pid"
is "$? $(cat out)" '7 done' 'and ends as it does alone'
echo >end
kill_survivors
nobody_left
done_testing
