#!/bin/sh
# -a: code is mapped from files of a file system (FUSE) that does not answer who opens or reads them then: the run goes on,
# and what reads such a file has no rights.  So it does where the program itself is such a file.
# san: threads
# check-all: how soon a helper waits
if [ "${PROFSUP_TEST_IN_NS:-}" != 1 ] && [ "$(id -u)" -eq 0 ]; then
	PROFSUP_TEST_IN_NS=1 exec unshare -m --propagation private "$0"
fi
. "$(dirname "$0")/../lib/hostile.sh"
need_root

gcc -O1 -D_GNU_SOURCE -o silent "$(source_of_target any-silent)" || bail 'no compiler'
mknod -m 666 fuse c 10 229 || bail mknod
mkdir mnt

# The rights of those of our processes that wait for the file system, each once.
rights() {
	survivors | while read -r pid _; do
		case $(readlink "/proc/$pid/exe") in
		*/bin/profsup) grep -q fuse "/proc/$pid/stack" && sed -n 's/^CapPrm:\t//p' "/proc/$pid/status" ;;
		esac
	done 2>"$scratch/gone" | sort -u
}

someone_waits() {
	[ -n "$(rights)" ]
}

check() {
	cp ../silent .
	for how in open read; do
		rm -f gmon.* stacks.* "$scratch/out" in-end
		mkfifo in-end
		# shellcheck disable=SC2016 # an inner shell expands its own
		attack '-a -F 1000' sh -c 'exec ./silent ../mnt ../fuse 20 "$1" <in-end' - "$how" &
		attack=$!
		exec 4>in-end
		wait_until 60 grep -q '^[dn]o' "$scratch/out"
		if grep -q '^no' "$scratch/out"; then
			skip "no FUSE: $(cat "$scratch/out")"
		else
			wait_until 4 someone_waits
			ok $? "$how: a file is waited for"
			[ "$how" = open ] || is "$(rights)" 0000000000000000 "$how: by processes without rights"
		fi
		exec 4>&-
		wait "$attack"
		status=$(sed -n 1p "$scratch/results")
		unharmed "$how"
		between "$(find . -name 'gmon.silent.*' | wc -l)" 1 2 "$how: the program has its profile"
	done
}

executed() {
	cp ../silent .
	attack '-a -g -F 1000' ./silent ../mnt ../fuse exec
	if grep -q '^no' "$scratch/out"; then
		skip "no FUSE: $(cat "$scratch/out")"
		return
	fi
	unharmed executed 'exit 7'
	is "$(cat "$scratch/out")" 'done' "executed: its output is its own"
	is "$(said "$scratch/err" | sed 's/[0-9][0-9]*/N/')" "profsup: N: its program can't be read: Connection timed out: neither its time nor its calls are profiled" \
		'executed: one line says that it has no profile'
}

uid=0 in_fresh_dir check profsup ''
uid=0 in_fresh_dir executed profsup ''
done_testing
