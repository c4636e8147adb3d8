#!/bin/sh
# san: traced (no look for leaks)
# profsup's own processes killed: the program never pays for it.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target signals)" prog
cp "$(target die)" die

start() {
	rm -f gmon.* out
	profsup -F 1000 "$@" >out 2>err &
	front=$!
	pid=$(ready_pid out)
	supervisor=$(supervisor_of "$pid")
}

for mode in wait busy; do
	start ./prog 10 $mode
	[ "$supervisor" -gt 1 ] && [ "$supervisor" -ne $front ]
	ok $? "$mode: the supervisor is a process of its own"
	is "$(stat_field "$supervisor" 3) $(stat_field "$supervisor" 4)" "$supervisor $(stat_field "$front" 4)" \
		"$mode: in a process group of its own, and in the session of its caller"
	kill -KILL "$supervisor"
	wait_until 60 is_gone "$supervisor"
	kill -USR1 "$pid"
	wait_until 60 grep -q hello out
	ok $? "$mode: supervisor killed: the program lives on"
	kill -STOP "$pid"
	wait_until 60 is_stopped "$pid" && wait_until 60 is_stopped $front
	ok $? "$mode: supervisor killed: the program can be stopped, and profsup with it"
	kill -CONT $front "$pid"
	kill -TERM "$pid"
	wait $front
	is $? 5 "$mode: supervisor killed: the exit status is the program's"
	is "$(grep -c '^profsup: the supervisor was killed by signal 9 (SIGKILL): no profiles from here on$' err)/$(said err | wc -l)" 1/1 "$mode: supervisor killed: one line says so"
done

# Before there is a program.
"$(target no-ptrace)" -k profsup touch ran >out 2>err
is "$? $(sed 's/ (a seccomp filter .*//' out err)" '125 profsup: the supervisor was killed by signal 31 (SIGSYS): the program was not run' \
	'supervisor killed by a filter of system calls: one line says so'
[ ! -e ran ]
ok $? 'and it is true'

# A service manager and pkill send their signals to every process that there is.
start ./prog 22
sig=1
while [ $sig -le 64 ]; do
	case $sig in
	9 | 19) ;;
	*) kill -$sig "$supervisor" 2>/dev/null ;;
	esac
	sig=$((sig + 1))
done
kill -USR1 "$pid"
wait_until 60 grep -q hello out
is_gone "$supervisor"
is $? 1 'no signal but SIGKILL ends the supervisor'
kill -TERM "$pid" "$supervisor" $front
wait $front
is $? 5 'SIGTERM to program, supervisor and front together: the exit status is the program'"'"'s'
is "$(calls prog "$(the_file)" work)" 22 'SIGTERM to program, supervisor and front together: its file is written'
is "$(said err)" '' 'and nothing is said'

start ./prog 33
kill -KILL $front
wait $front 2>/dev/null
kill -USR1 "$pid"
wait_until 60 grep -q hello out
ok $? 'front killed: the program lives on'
kill -TERM "$pid"
wait_until 60 is_gone "$pid"
grep -q bye out
ok $? 'front killed: and finishes'
wait_until 60 files_are 1
is "$(calls prog "$(the_file)" work)" 33 'front killed: its file is written'
wait_until 60 is_gone "$supervisor"
ok $? 'front killed: the supervisor ends when the program has'

# A program that asked to die with its parent, does.
start ./die pdeathsig 44
kill -KILL $front
wait $front 2>/dev/null
wait_until 60 is_gone "$pid"
ok $? 'front killed: a program with a death signal gets it'
wait_until 60 is_gone "$supervisor"
is "$(calls die "$(the_file)" work)" 44 'front killed: its file is written then'

# What profsup says may find that nobody reads stderr, or that it is as long a file as may be.
front_says() {
	wait_until 60 test -e ready
	kill -TERM $front
	sleep 0.2
	kill -KILL "$(supervisor_of "$(cat ready)")"
	: >end
	wait $front
	is $? 3 "$1: a message of profsup's own kills nobody"
	rm ready end
}
cat >deaf <<'EOF'
trap '' TERM
echo $$ >was
mv was ready
until [ -e end ]; do sleep 0.1; done
exit 3
EOF
mkfifo err-pipe
exec 4<>err-pipe
exec 5>err-pipe 4>&-
profsup sh deaf 2>&5 5>&- &
front=$!
front_says 'stderr is a pipe that nobody reads'
exec 5>&-
head -c 1024 /dev/zero >long
(
	ulimit -f 1
	exec profsup sh deaf 2>>long
) &
front=$!
front_says 'stderr is as long as a file may be'
done_testing
