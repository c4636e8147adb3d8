#!/bin/sh
# vfork where threads and kills come between: every call is counted once, and nothing is left behind.
. "$(dirname "$0")/../lib/testlib.sh"

# counts NAME: the calls of NAME in each file, in rising order.
counts() {
	for file in gmon.prog.*.out; do
		calls prog "$file" "$1"
	done | sort -n | tr '\n' ' '
}

memory_of() {
	awk '$1 == "VmRSS:" { print $2 }' "/proc/$1/status"
}

cp "$(target hostile-vfork)" prog
profsup ./prog no-leader 2>err
is $? 0 'a thread vforks after the first thread is gone'
is "$(counts parents)" '0 100 ' 'the calls before it are in one file'
is "$(calls prog "$(grep -l . gmon.prog.*.out | head -n 1)" childs)$(calls prog "$(grep -l . gmon.prog.*.out | tail -n 1)" childs)" \
	"$(for file in gmon.prog.*.out; do [ "$(calls prog "$file" parents)" = 100 ] && printf 1000 || printf 0; done)" \
	'and those of its child, which count in the same memory, too'
rm -f gmon.*

for _ in 1 2 3 4 5; do
	# As a child: the shell would tell of the kill.
	sh -c 'profsup ./prog killed' >out 2>err
	wait_until 60 files_are 2
	ok $? 'a parent that its vfork'"'"'s child has killed has a file, as has the child'
	is "$(counts parents)" '0 100 ' 'the parent'"'"'s calls are in one'
	between "$(counts childs | cut -d ' ' -f 2)" 1000 "$(cat out)" 'with those that its child made until then'
	rm -f gmon.*
done

mkfifo in
for n in 10 2000; do
	profsup ./prog threads $n >out 2>err <in &
	exec 3>in
	pid=$(ready_pid out)
	eval "memory_$n=$(memory_of "$(supervisor_of "$pid")")"
	exec 3>&-
	wait $!
	is $? 0 "$n threads with CLONE_VFORK, made by a process that shares its memory, come and go"
	is "$(counts parents | tr ' ' '\n' | sort -n | tail -n 1)" 100 'the parent'"'"'s calls are all there'
	rm -f gmon.*
done
# shellcheck disable=SC2154 # by eval
between "$memory_2000" 0 $((memory_10 + 4096)) 'the supervisor has no more memory after 2000 than after 10'
done_testing
