#!/bin/sh
# What else may happen to a call that is carried on: signals, hang-ups, limits, time-outs, filters, ends.  Each as it is
# alone, with the right data.
# check-all: which calls a sample meets is chance
. "$(dirname "$0")/../lib/testlib.sh"
command -v setpriv >/dev/null || skip_all 'needs setpriv'

cp "$(target carried)" prog
cp "$stage/bin/profsup" profsup || bail 'no profsup'
as=
with=
who=
carried_on=0
cut=0

# carried CASE [MS]: under profsup; what it says is in ./out, what it counts in ./err.
carried() {
	rm -f gmon.* stats
	# shellcheck disable=SC2086 # words
	timeout --foreground -k 10 60 $as ./profsup -q $with -F 1000 --stats=stats ./prog "$@" >out 2>err </dev/null
	carried_status=$?
	cut=$(statistic cut_calls stats)
	carried_on=$((carried_on + $(statistic carried_on_calls stats)))
}

# right CASE...: alone, which needs no time, and under profsup.
right() {
	for case in "$@"; do
		timeout --foreground -k 10 60 ./prog "$case" 60 >out 2>err </dev/null
		is "$(cat out)" "$case: right" "$case: alone" || diag_file err
		carried "$case"
		is "$(cat out)" "$case: right" "$who$case: the same under profsup" || diag_file err
		is "$cut" 0 "$who$case: no call is said to have been cut"
	done
}

# some WHAT: how many calls were carried on since the last one; at the end of it all there must be some.
some() {
	diag "$1: $carried_on calls were carried on"
	all_carried_on=$((${all_carried_on:-0} + carried_on))
	carried_on=0
}

short() {
	sed -n 's/.* calls, \([0-9]*\) short, .*/\1/p' err
}

right handler handler-restart stop-cont
some 'signals that are handled, and those that stop'
right ignored-tcp ignored-unix ignored-pipe
some 'signals that are ignored'
right sigpipe-tcp sigpipe-unix sigpipe-pipe
some 'the other side closes'
# At a limit of a file's size a part is all that there is; who asks for more has a signal.
carried fsize
is "$(cat out)" 'fsize: right' 'fsize: the same under profsup' || diag_file err
some 'a limit of the size'
right nonblock-tcp nonblock-unix nonblock-pipe
some 'descriptors that do not block'
right sndtimeo rcvtimeo
right threads shared-vector
some 'many threads'
right udp unix-dgram seqpacket
carried_on=0

right strict
if [ "$(id -u)" -eq 0 ]; then
	right filter-list
	is "$(short)" 0 'filter-list: and none is short'
	some 'a filter that lets the rest through, too'
fi

# In the middle of calls.
for try in 1 2 3 4 5; do
	carried exec
	is "$carried_status $(cat out)" '0 nothing: right' "it executes another program: $try"
	carried exit
	is $carried_status 3 "it exits: $try"
	is "$(how_it_ended ./profsup -q -F 1000 ./prog kill)" 'signal 9' "it is killed: $try"
done
some 'ends'

# A supervisor comes and goes.
./prog write 4000 >out 2>err &
pid=$!
wait_until 60 sh -c "grep -q '^State:.*[RS]' /proc/$pid/status && [ \$(ls /proc/$pid/fd | wc -l) -ge 4 ]"
attached=0
while kill -0 $pid 2>/dev/null && [ $attached -lt 10 ]; do
	rm -f gmon.*
	timeout -k 10 20 ./profsup -q -F 1000 --stats=stats --duration=0.2 -p $pid 2>>err
	carried_on=$((carried_on + $(statistic carried_on_calls stats)))
	is "$(statistic cut_calls stats)" 0 "attached and gone: no call is said to have been cut: $attached"
	attached=$((attached + 1))
done
wait $pid
is "$(cat out)" 'write: right' 'attached and gone: all calls are whole' || diag_file err
[ $attached -ge 5 ]
ok $? "attached and gone: $attached times"
some 'attached and gone'
for try in 1 2 3 4 5; do
	rm -f gmon.*
	./profsup -q -F 1000 --duration=0.0$try ./prog write 150 >out 2>err
	is "$(cat out)" 'write: right' "--duration ends in the middle: $try" || diag_file err
done
# The thread that is let go is in a call whose other side rests; the child that rests is let go at once.
rm -f gmon.*
./profsup -q --duration=0.2 ./prog late 1500 >out 2>err
is "$(cat out)" 'late: right' '--duration ends in a call that takes a second more' || diag_file err
rm -f gmon.*
./profsup -q --duration=0.2 --stats=stats ./prog late 7000 >out 2>err
is "$(cat out) $(statistic carried_on_calls stats)" 'late: right 0' 'and in one that takes 7 s, and that nothing has disturbed' || diag_file err
rm -f gmon.*
./profsup -q --duration=1 ./prog disturbed 2500 >out 2>err
is "$(cat out)" 'disturbed: right' 'in a call that is carried on, and takes a second more, too' || diag_file err
rm -f gmon.*
./profsup -q --duration=1 --stats=stats ./prog disturbed 8000 >out 2>err
is "$(statistic cut_calls stats)" 1 'and in one that takes 7 s: after 5 s it is left with its part' || diag_file out

# late_attached MS: the same of a program that runs already, disturbed once it is attached to.
late_attached() {
	./prog late "$1" >out 2>err &
	pid=$!
	wait_until 60 sh -c "grep -q '^State:.*S' /proc/$pid/status && [ \$(ls /proc/$pid/fd | wc -l) -ge 4 ]"
	rm -f gmon.*
	./profsup -q -F 1000 --duration=1 --stats=stats -p $pid 2>>err &
	profsup=$!
	wait_until 60 grep -q '^TracerPid:.*[1-9]' /proc/$pid/status
	kill -WINCH $pid
	wait $profsup
	wait $pid
}
late_attached 4500
is "$(cat out) $(statistic cut_calls stats)" 'late: right 0' '-p: --duration ends in a call that takes three seconds more' || diag_file err
late_attached 8000
is "$(statistic carried_on_calls stats) $(statistic cut_calls stats)" '1 1' '-p: in one that takes 7 s it is left with its part, too' || diag_file out

# filtered CASE...: what a filter might kill for is not made.
filtered() {
	for filter in "$@"; do
		carried "$filter"
		is "$(cat out)" "$filter: right" "$who$filter: it lives, and the data is right"
		[ "$(short)" -le "$cut" ]
		ok $? "$who$filter: what is short is counted ($(short) and $cut)"
	done
}

filtered filter filter-tsync
# Without the right to read a filter.
if [ "$(id -u)" -eq 0 ]; then
	chmod 755 prog profsup
	with='-u 65534:65534'
	who="another user's: "
	carried_on=0
	right ignored-tcp ignored-pipe sndtimeo rcvtimeo
	[ $carried_on -gt 0 ]
	ok $? "${who}its calls are carried on, too"
	some "$who"
	with=
	as='setpriv --reuid 65534 --regid 65534 --clear-groups'
	who='as a plain user: '
	carried_on=0
	right strict ignored-tcp sigpipe-unix
	some "${who}all that has no filter"
fi
filtered filter filter-tsync filter-list
[ "$all_carried_on" -gt 0 ]
ok $? 'and there was reason for it: calls were carried on'
done_testing
