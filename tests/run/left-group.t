#!/bin/sh
# A program that leaves profsup's process group, or ends before its descendants do: what the terminal and the shell send
# reaches profsup only, which passes it on or takes it for itself.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/terminal.sh"

cp "$(target signals)" prog

# run COMMAND...: typed; $pid is that of the program that it starts, $front its profsup's.
runs=0
run() {
	runs=$((runs + 1))
	rm -f gmon.*
	type_line "$@"
	shows '^ready' $runs
	pid=$(sed -n 's/^ready //p' screen | tail -n 1)
	wait_until 60 supervised
}

supervised() {
	supervisor=$(supervisor_of "$pid")
	front=$(stat_field "$supervisor" 2)
	[ "$front" -gt 1 ]
}

# Its program is gone, and it knows.
waits_only() {
	[ "$(pgrep -P "$front")" = "$supervisor" ]
}

# answers TIMES: it is there and handles signals; all that were sent before have arrived.
answers() {
	kill -USR1 "$pid"
	shows '^hello' "$1"
}

# status_is STATUS TIMES WHAT: of the command that ended last.
status_is() {
	type_line 'echo status $?'
	shows '^status' "$2"
	is "$(grep '^status' screen | tail -n 1)" "status $1" "$3"
}

file_is_whole() {
	wait_until 60 files_are 1
	is "$(calls prog "$(the_file)" work)" 7 "$1"
}

terminal bash --norc --noediting -i -m

with='in a session of its own'
run 'profsup setsid ./prog 7'
is "$(stat_field "$pid" 4)" "$pid" "$with: it is"
press '\003'
shows '^int 1'
ok $? "$with: Ctrl-C reaches it"
answers 1
kill -STOP "$pid"
shows Stopped
ok $? "$with: when it is stopped, the shell sees it"
type_line fg
wait_until 60 is_going "$pid" && wait_until 60 is_going "$front"
ok $? "$with: fg lets it go on"
answers 2
kill -TERM "$pid"
shows '^bye'
is "$(grep '^bye' screen)" 'bye 1' "$with: Ctrl-C was one SIGINT"
status_is 5 1 "$with: the shell has its exit status"
file_is_whole "$with: its file is there"

run 'profsup setsid ./prog 7 default-int'
press '\003'
status_is 130 2 "$with: Ctrl-C ends a program that does nothing about it"
file_is_whole "$with: and its file is there"

run '(trap "" INT; exec profsup setsid ./prog 7)'
press '\003'
answers 3
is "$(grep -c '^int' screen)" 1 "$with: Ctrl-C that the caller ignores does not reach it"
kill -TERM "$pid"
shows '^bye' 2
status_is 5 3 "$with: nor does it end profsup"

with='descendants left'
run 'for i in 1 2 3; do profsup setsid -f ./prog 7; done'
wait_until 60 waits_only
press '\032'
shows Stopped 2
ok $? "$with: Ctrl-Z gives the shell back"
answers 4
ok $? "$with: and does not stop them"
type_line 'fg'
wait_until 60 is_going "$front"
ok $? "$with: fg is waiting again"
press '\003'
wait_until 60 is_gone "$front"
ok $? "$with: Ctrl-C ends the waiting"
status_is 130 4 "$with: by SIGINT"
answers 5
is "$(grep -c '^int' screen)" 1 "$with: and does not reach them"
kill -TERM "$pid"
file_is_whole "$with: their file is written when they end"

leave
done_testing
