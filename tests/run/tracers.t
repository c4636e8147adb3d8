#!/bin/sh
# Debuggers under profsup work as alone, and what they trace runs unprofiled; they can't take a program from us.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target die)" die
cp "$(target count)" count
line='traces programs itself: it and what it starts run unprofiled'

# tracer TOOL STATUS COMMAND...: COMMAND runs TOOL, and ends so; the line is there once.
tracer() {
	tool=$1
	want=$2
	shift 2
	command -v "$tool" >/dev/null || {
		skip "no $tool"
		return
	}
	rm -f gmon.*
	is "$(how_it_ended timeout --foreground -s KILL 60 "$@" </dev/null 2>err | tail -n 1)" "$want" "$*: ends as alone"
	is "$(said err | grep '^profsup:')" "profsup: $tool: $line" "$*: one line tells of it"
}

tracer strace 'exit 0' profsup strace -qq -o calls ./count 100
grep -q exit_group calls
ok $? 'strace sees the calls of the program'
is "$(the_file)" no-file 'which has no profile'
tracer strace 'exit 3' profsup strace -qq -o calls sh -c 'exit 3'
tracer strace 'signal 15' profsup strace -qq -o calls sh -c 'kill $$'
tracer strace 'exit 0' profsup sh -c 'strace -qq -f -o calls ./count 5 && ./count 77'
is "$(calls count "$(the_file count)" leaf)" 77 'a program beside it is profiled'
tracer gdb 'exit 0' profsup gdb -nx -batch -ex 'break leaf' -ex run -ex bt --args ./count 100
profsup -q strace -qq -o calls ./count 100 2>err
is "$?$(cat err)" 0 '-q says nothing'

# Its name alone does not make a debugger of what was linked to be profiled.
cp count strace
profsup ./strace 88 2>err
is "$(said err)" '' 'a program of that name that can be profiled'
is "$(calls strace "$(the_file strace)" leaf)" 88 'is'

# From outside.
cp "$(target signals)" prog
profsup ./prog 10 >out 2>err &
front=$!
pid=$(ready_pid out)
timeout -s KILL 120 strace -p "$pid" -o calls 2>strace.err
is $? 1 'strace can not attach to a program that is profiled'
kill -TERM "$pid"
wait $front
is $? 5 'which does not care'
is "$(calls prog "$(the_file prog)" work)" 10 'and has its profile'
done_testing
