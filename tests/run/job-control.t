#!/bin/sh
# Job control in a shell on a terminal: profsup and its program stop, go on and are interrupted like one job.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/terminal.sh"

cp "$(target signals)" prog
cp "$(target die)" die
prlimit --pid $$ --core=0

# The same session alone (RUN is empty) and under profsup: what the shell and the user see must not differ.
session() {
	run=$1
	shell=$2
	with="$shell, ${run:-alone}"
	# shellcheck disable=SC2086 # flags
	terminal "$shell" $3 -i -m
	type_line "$run ./prog 777"
	shows '^ready'
	pid=$(ready_pid screen)
	front=$(stat_field "$pid" 2)
	[ -n "$run" ] || front=$pid

	press '\032'
	shows Stopped
	ok $? "$with: Ctrl-Z gives the shell back"
	wait_until 60 is_stopped "$pid"
	ok $? "$with: Ctrl-Z stops the program"
	state_is "$front" T
	ok $? "$with: and what the shell waits for"
	type_line 'bg'
	wait_until 60 is_going "$pid" && wait_until 60 is_going "$front"
	ok $? "$with: bg lets it go on"
	kill -USR1 "$pid"
	shows '^hello'
	ok $? "$with: in the background it works"
	type_line 'jobs; echo listed'
	shows '^listed' && on_screen Running
	ok $? "$with: jobs lists it as running"
	type_line 'fg'
	wait_until 60 is_foreground "$pid"
	ok $? "$with: fg makes its process group the terminal's"
	press '\003'
	shows '^int 1'
	ok $? "$with: Ctrl-C is one SIGINT"
	press '\032'
	shows Stopped 2
	ok $? "$with: it can be stopped again"
	kill -INT "$pid"
	type_line 'fg'
	shows '^int 2'
	ok $? "$with: a signal sent while it is stopped arrives when it goes on"
	kill -USR1 "$pid"
	shows '^hello' 2
	kill -TERM "$pid"
	shows '^bye'
	is "$(grep '^bye' screen)" 'bye 2' "$with: there was no other SIGINT"
	type_line 'echo status $?'
	shows '^status'
	is "$(grep '^status' screen)" 'status 5' "$with: the shell has its exit status"

	type_line "$run ./prog 10 default-int"
	shows '^ready' 2
	press '\003'
	type_line 'echo after int $?'
	shows '^after int'
	is "$(grep '^after int' screen)" 'after int 130' "$with: Ctrl-C ends a program that does nothing about it"
	type_line "$run ./die spin 10"
	shows '^ready' 3
	press '\034'
	type_line 'echo after quit $?'
	shows '^after quit'
	is "$(grep '^after quit' screen)" 'after quit 131' "$with: Ctrl-\\ ends a busy program"
	type_line "$run ./prog 10 ignore-tstp"
	shows '^ready' 4
	press '\032'
	# The key may still be on its way when the signal arrives.
	for _ in 1 2 3; do
		kill -USR1 "$(sed -n 's/^ready //p' screen | tail -n 1)"
		shows '^hello' 3 && break
	done
	shows '^hello' 3
	ok $? "$with: Ctrl-Z does not stop a program that ignores it"
	on_screen Stopped 3
	is $? 1 "$with: nor what the shell waits for"
	kill -TERM "$(sed -n 's/^ready //p' screen | tail -n 1)"
	shows '^bye' 2
	type_line "$run ./prog 10 | cat"
	shows '^ready' 5
	press '\032'
	shows Stopped 3
	ok $? "$with: a pipeline is stopped"
	type_line fg
	pid=$(sed -n 's/^ready //p' screen | tail -n 1)
	wait_until 60 is_going "$pid"
	kill -TERM "$pid"
	shows '^bye' 3
	type_line 'echo pipeline is over'
	shows '^pipeline is over'
	ok $? "$with: and goes on"
	leave
}

for shell in dash 'bash --norc --noediting'; do
	# shellcheck disable=SC2086 # command and flags
	set -- $shell
	for run in '' 'profsup --sampler=ptrace -F 1000'; do
		session "$run" "$1" "${2:+--norc --noediting}"
	done
done
done_testing
