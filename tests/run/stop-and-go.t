#!/bin/sh
# Signals sent to the program alone or to profsup alone: stops, continues, deaths.
# san: traced: a SIGCONT to profsup while its sanitizer looks for leaks, by ptrace, takes back the SIGSTOP that that waits for.
. "$(dirname "$0")/../lib/testlib.sh"
as_a_job "$testdir/${0##*/}"

cp "$(target signals)" prog
cp "$(target die)" die
cp "$(target family)" family

# start ARGUMENT...: profsup in the background; its pid in $front, the program's in $pid.
start() {
	rm -f gmon.* out
	profsup --sampler=ptrace -F 1000 "$@" >out 2>err &
	front=$!
	pid=$(ready_pid out)
}

# finish STATUS WHAT: of profsup; one that does not end is killed.
finish() {
	hung=
	wait_until 60 is_gone $front || { hung=hung-; kill -KILL $front "$pid"; }
	wait $front 2>/dev/null
	is "$hung$?" "$1" "$2"
}

for mode in wait busy; do
	start ./prog 1111 $mode
	for round in 1 2 3; do
		kill -STOP "$pid"
		wait_until 60 is_stopped "$pid" && wait_until 60 is_stopped $front
		ok $? "$mode, round $round: SIGSTOP to the program stops it, and profsup with it"
		kill -CONT "$pid"
		wait_until 60 is_going "$pid" && wait_until 60 is_going $front
		ok $? "$mode, round $round: SIGCONT to the program lets both go on"
	done
	kill -TSTP "$pid"
	wait_until 60 is_stopped "$pid" && wait_until 60 is_stopped $front
	ok $? "$mode: SIGTSTP to the program stops both"
	kill -USR1 "$pid"
	sleep 0.1 # for a program that is not stopped to say hello
	grep -q hello out
	is $? 1 "$mode: it is really stopped"
	kill -CONT "$pid"
	wait_until 60 grep -q hello out
	ok $? "$mode: it goes on with the signal that came meanwhile"
	kill -TERM "$pid"
	finish 5 "$mode: and ends with its own status"
	is "$(calls prog "$(the_file)" work)" 1111 "$mode: its file is there"
done

start ./prog 10
kill -STOP "$pid"
wait_until 60 is_stopped "$pid" && wait_until 60 is_stopped $front
kill -KILL "$pid"
finish 137 'a stopped program that is killed: profsup ends the same way'
is "$(calls prog "$(the_file)" work)" 10 'a stopped program that is killed: its file is there'

start ./prog 10
kill -STOP $front
wait_until 60 is_stopped $front
kill -USR1 "$pid"
wait_until 60 grep -q hello out
ok $? 'profsup stopped alone: the program goes on'
kill -TERM "$pid"
wait_until 60 test -f "gmon.prog.$pid.out"
ok $? 'profsup stopped alone: the file is written when the program ends'
kill -CONT $front 2>/dev/null
finish 5 'profsup stopped alone: it has the status when it goes on'

start ./prog 10
kill -TSTP $front
wait_until 60 is_stopped "$pid" && wait_until 60 is_stopped $front
ok $? 'SIGTSTP to profsup alone stops both'
kill -CONT $front
wait_until 60 is_going "$pid" && wait_until 60 is_going $front
ok $? 'SIGCONT to profsup alone lets both go on'
kill -TERM "$pid"
finish 5 'and the program ends with its own status'

# The program itself is gone, what it started is not: then profsup only waits.
start setsid -f ./prog 10
supervisor=$(supervisor_of "$pid")
is_alone() {
	[ "$(pgrep -P "$front")" = "$supervisor" ]
}
wait_until 60 is_alone
kill -HUP $front
finish 129 'waiting for descendants only: SIGHUP ends profsup'
kill -TERM "$pid"
wait_until 60 files_are 1
is "$(calls prog "$(the_file)" work)" 10 'waiting for descendants only: their file is written all the same'
rm -f gmon.* out
nohup profsup setsid -f ./prog 10 >out 2>err &
front=$!
pid=$(ready_pid out)
kill -HUP $front
kill -TERM "$pid"
finish 0 'waiting for descendants only: not so if its caller ignores it'

# Not SIGUSR2 (12), which has a snapshot written: see snapshot.t.
for sig in 15 1 2 3 10 34; do
	rm -f gmon.* out
	perl -e '$SIG{$_} = "DEFAULT" for qw(INT QUIT); exec @ARGV' -- profsup ./die wait 20 >out 2>err &
	front=$!
	pid=$(ready_pid out)
	kill -$sig $front
	finish $((128 + sig)) "signal $sig to profsup alone ends the program, and then it"
	is_gone "$pid"
	ok $? "signal $sig to profsup alone: the program is gone"
	is "$(calls die "$(the_file)" work)" 20 "signal $sig to profsup alone: the file is there"
done
start ./prog 10
kill -INT $front
wait_until 60 grep -q 'int 1' out
kill -USR1 $front
wait_until 60 grep -q hello out
ok $? 'a signal to profsup alone reaches a handler of the program'
kill -TERM $front
finish 5 'SIGTERM to profsup alone leaves the program time and a say in the matter'
is "$(grep bye out)" 'bye 1' 'and each signal arrived once'

# All threads and children of a stopped group.
start_family() {
	rm -f gmon.* out
	profsup ./family wait >out 2>err &
	front=$!
	wait_until 60 grep -q ready out
}
start_family
wait_until 60 grep -q '^child8' out
group=$(stat_field "$(sed -n 's/^parent //p' out)" 3)
is "$group" "$(stat_field $front 3)" 'the program is in the process group of profsup'
kids=$(sed -n 's/^[cp][a-z]*[0-9]* //p' out)
for kid in $kids; do
	kill -STOP "$kid"
done
for kid in $kids; do
	wait_until 60 is_stopped "$kid" || break
done
ok $? 'nine processes are stopped one by one'
for kid in $kids; do
	kill -CONT "$kid"
done
for kid in $kids; do
	wait_until 60 is_going "$kid" || break
done
ok $? 'and go on'
for kid in $kids; do
	kill -TERM "$kid"
done
finish 143 'and end'
files_are 9
ok $? 'with a file each'
done_testing
