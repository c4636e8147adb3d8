#!/bin/sh
# However a program ends: its file is there, with every call, and the caller sees the same end.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target die)" prog
cp "$(target family)" family
prlimit --pid $$ --core=0

# dies WHAT ARGUMENT...: alone and under profsup.
dies() {
	what=$1
	shift
	rm -f gmon.*
	alone=$(how_it_ended ./prog "$@" 2>/dev/null)
	is "$(how_it_ended profsup ./prog "$@" 2>err)" "$alone" "$what: ends as alone ($alone)"
	is "$(calls prog "$(the_file)" work)" "$2" "$what: the file has every call"
	is "$(said err)" '' "$what: nothing is said about it"
}

dies exit exit 1001 3
dies _exit _exit 1002 4
dies 'the exit system call of the only thread' _Exit-thread 1003 5
dies 'return from main' return 1004 6
dies abort abort 1005
dies 'a bad pointer' segv 1006
dies 'a seccomp filter that kills the process' seccomp-process 1007
dies 'a seccomp filter that kills the only thread' seccomp-thread 1008
dies 'a bad pointer in a thread' thread-segv 1009
dies 'exit in a thread' thread-exit 1010
dies 'a last thread that is not the first one' thread-last 1011
for sig in 1 2 3 4 5 6 7 8 9 10 12 13 14 15 16 24 25 26 27 29 30 31 32 33 34 64; do
	dies "signal $sig" signal $((2000 + sig)) $sig
done

# From outside, asleep and busy.
for mode in wait spin; do
	for sig in 15 9 11; do
		rm -f gmon.* out
		how_it_ended profsup ./prog $mode 4321 >out &
		kill -$sig "$(ready_pid out)"
		wait
		is "$(tail -n 1 out)" "signal $sig" "signal $sig from outside, $mode: the caller sees it"
		is "$(calls prog "$(the_file)" work)" 4321 "signal $sig from outside, $mode: the file has every call"
	done
done

# What the caller sends is the program's, the two signals that a C library keeps for itself as well.
for sig in 10 32 33 64; do
	rm -f gmon.* out
	profsup -q ./prog wait 4321 >out &
	front=$!
	wait_until 60 grep -q ready out
	kill -$sig $front
	wait $front
	is $? $((128 + sig)) "signal $sig to profsup: the caller sees the program's end"
	is "$(calls prog "$(the_file)" work)" 4321 "signal $sig to profsup: the file has every call"
done

# family_is WHAT: nine files, of a parent with 1500 calls and children with 100 to 800.
family_is() {
	what=$1
	wait_until 60 files_are 9
	ok $? "$what: there are nine files"
	sum=
	while read -r name pid; do
		sum="$sum $name:$(all_calls family "gmon.family.$pid.out")"
	done <<-EOF
		$(grep "^[cp]" out | sort)
	EOF
	want=
	for i in 1 2 3 4 5 6 7 8; do
		want="$want child$i: child_work=${i}00"
	done
	is "$sum" "$want parent: parent_work=1500" "$what: each has its own calls, all of them"
	rm -f gmon.* out
}

rm -f gmon.* out
how_it_ended profsup ./family own-group >out 2>err
is "$(tail -n 1 out)" "signal 9" "a program that kills its whole group is seen to die of it"
family_is 'killed by itself, in a group of its own'

# The group of the caller: profsup's front goes too, its supervisor writes the files all the same.
how_it_ended setsid -w profsup ./family kill-group >out
family_is 'killed with the group that profsup is in'

setsid -w profsup ./family wait >out &
wait_until 60 grep -q ready out
kill -9 -"$(stat_field "$(awk '$1 == "parent" { print $2 }' out)" 3)"
wait $!
family_is 'killed from outside with the group that profsup is in'
done_testing
