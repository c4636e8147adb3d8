#!/bin/sh
# The disk quota is used up when a file is written, or when it gets its name: the supervisor's system calls fail with EDQUOT, as
# they do then.  One line says so, no part of a file is left, and other processes have theirs.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target hold)" prog
inject=$(target ../faults/inject)
number() {
	printf '#include <sys/syscall.h>' | cc -E -dM - | awk -v name="__NR_$1" '$2 == name { print $3 }'
}
error=$(perl -MErrno -e 'print Errno::EDQUOT')
reason='Disk quota exceeded'

# in_quota CALL WHICH COMMAND...: leaves $status, err and what is in dir.
in_quota() {
	rm -rf dir report
	mkdir -m 777 dir
	quota_call=$1
	quota_which=$2
	shift 2
	(cd dir && "$inject" "$(number "$quota_call")" "$quota_which" "$error" ../report "$@") >out 2>err
	status=$?
	between "$(awk '{ n += $3 } END { print n + 0 }' report)" 1 1000 "$what: calls fail"
}

# refused N MORE: N lines, with that advice.
refused() {
	is "$(said err | sed 's/prog\.[0-9]*\./prog.N./')" "profsup: $scratch/dir/$1: $reason$2" "$what: one line names the file and the reason"
	is "$(find dir -type f -name '.*')" '' "$what: no part of a file is left"
}

for call in ftruncate linkat; do
	what="$call"
	in_quota $call 0 profsup sh -c 'echo go | ../prog 7'
	is "$status" 7 "$what: the exit status is the program's"
	refused gmon.prog.N.out ' (try -d)'
	is "$(ls -A dir)" '' "$what: there is no file"

	what="$call, -d"
	in_quota $call 0 profsup -d . sh -c 'cd .. && echo go | ./prog 7'
	is "$status" 7 "$what: the exit status is the program's"
	refused gmon.prog.N.out ''
	is "$(ls -A dir)" '' "$what: there is no file"

	what="$call, --sum"
	in_quota $call 0 profsup --sum sh -c 'echo go | ../prog 7'
	is "$status" 7 "$what: the exit status is the program's"
	refused gmon.prog.out ' (try -d)'
	is "$(ls -A dir)" '' "$what: there is no file"

	if [ "$(id -u)" -eq 0 ]; then
		what="$call, another user's"
		in_quota $call 0 profsup -u 65534:65534 sh -c 'echo go | ../prog 7'
		is "$status" 7 "$what: the exit status is the program's"
		refused gmon.prog.N.out ' (try -d)'
		is "$(ls -A dir)" '' "$what: there is no file"
	fi
done

what='the first of two'
in_quota ftruncate 1 profsup sh -c 'echo go | ../prog 3; echo go | ../prog 5'
is "$status" 5 "$what: the exit status is the program's"
refused gmon.prog.N.out ' (try -d)'
is "$(cd dir && calls ../prog "$(the_file prog)" work)" 12345 "$what: the other one has its file"

what='the first snapshots'
in_quota ftruncate 1 profsup --every=0.1 sh -c '(until grep -q snap1 ../err; do sleep 0.02; done; echo go) | ../prog 7'
is "$status" 7 "$what: the exit status is the program's"
refused gmon.prog.N.snap1.out ' (try -d)'
is "$(find dir -name 'gmon.prog.*' ! -name '*snap*' | wc -l)" 1 "$what: the process has its file at the end"
done_testing
