#!/bin/sh
# What is not a directory, and directories that the program can't write itself: there is no file but where it could
# have made one.
. "$(dirname "$0")/../lib/hostile.sh"

# no_file_but DIR: all gmon files in the test's directory are there.
no_file_but() {
	find "$scratch" -name '*gmon*' ! -name 'gmon.victim.*' ! -path "$1/*"
}

# gives KIND ANSWER [WORD]: profil's answer; without a file anywhere.
gives() {
	attack -v ./prog first "$1" "${3:-}" 8<"$scratch/others"
	is "$status $(cat "$scratch/out")" "exit 0 $2" "$who$1: profil says $2"
	is "$(no_file_but none)" '' "$who$1: there is no file"
	rm -f gmon.victim.*
}

# refused KIND REASON [WORD]: the call is fine, making the file is not.
refused() {
	gives "$1" 0 "${3:-}"
	is "$(grep -Ec "^profsup: (/[^:]*)?gmon\\.prog\\.[0-9]*\\.out: $2 \\(try -d\\)$" "$scratch/err")" 1 \
		"$who$1: one line says why" || diag_file "$scratch/err"
}

check() {
	cp "$(target hostile-dirfd)" prog
	rm -rf "$scratch/others"
	# Somebody else's, to whom the program has been given an open descriptor.
	mkdir -m 700 "$scratch/others"
	mkdir own
	[ "$(id -u)" -ne 0 ] || chown "$uid:$uid" own

	for kind in pipe socket memfd epoll fifo device file link path-file; do
		gives "$kind" ENOTDIR
	done
	gives closed EBADF
	for dir in /proc /proc/self /proc/self/fd /proc/self/task; do
		refused "$dir" '[A-Z][a-zA-Z ]*'
	done
	refused / 'Permission denied'
	refused deleted 'No such file or directory'
	if [ "$(id -u)" -eq 0 ]; then
		refused inherited 'Permission denied' 8
		chmod 755 "$scratch/others"
		refused inherited 'Permission denied' 8
		# In its group, without its rights.
		chmod 750 "$scratch/others"
		chgrp "$uid" "$scratch/others"
		refused inherited 'Permission denied' 8
		# Its own, without leave to write it.
		mkdir -m 555 read-only
		chown "$uid" read-only
		refused read-only 'Permission denied'
		rmdir read-only
	fi
	for kind in dir path-dir; do
		attack '' ./prog first "$kind"
		unharmed "$kind"
		is "$(cat "$scratch/out") $(no_file_but "$scratch/dir/own")" '0 ' "$who$kind: the file is in there alone"
		is "$(stat -c '%u %a' own/gmon.prog.*.out)" "$uid 600" "$who$kind: and the program's own"
		rm -f gmon.* own/gmon.*
	done
}

# Calls that fail cost neither descriptors, but for those by which threads are looked at, nor memory.  `in` is opened last: then `out` is new.
check_many() {
	cp "$(target hostile-dirfd)" prog
	mkfifo in
	# shellcheck disable=SC2086 # words
	for n in 1 2000; do
		$run ./prog many $n >"$scratch/out" 2>"$scratch/err" <in &
		exec 3>in
		pid=$(ready_pid "$scratch/out")
		supervisor=$(supervisor_of "$pid")
		eval "fds_$n=$(find "/proc/$supervisor/fd" -mindepth 1 ! -lname "*/task/*" | wc -l)"
		eval "rss_$n=$(awk '$1 == "VmRSS:" { print $2 }' "/proc/$supervisor/status")"
		echo >&3
		exec 3>&-
		wait $!
	done
	# shellcheck disable=SC2154 # by eval
	is "$fds_2000" "$fds_1" "${who}8000 failing calls leave no descriptor open"
	# shellcheck disable=SC2154 # by eval
	between "$rss_2000" 1 $((rss_1 + 1024)) "${who}and take no memory"
	nobody_left
}

each_way check
each_way check_many
done_testing
