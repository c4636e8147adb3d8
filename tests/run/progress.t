#!/bin/sh
# The line that tells how far the writing of many files is: on a terminal, erased at the end, and nowhere else.
# san: traced
. "$(dirname "$0")/../lib/testlib.sh"
# shellcheck source=tests/lib/proclib.sh
. "$top/tests/lib/proclib.sh"
command -v strace >/dev/null || skip_all 'needs strace'

cp "$(target steps)" steps
n=60
cat >start.sh <<'EOS'
exec profsup "$@" ./steps <lines >out 2>"${ERR:-/dev/tty}"
EOS

killed() {
	[ "$(grep -c '^child' out)" -eq "$n" ]
}

# run COMMAND...: many children, which are all killed at once with slow files.
run() {
	rm -rf gmon.* out lines screen keys
	mkfifo lines keys
	: >screen
	: >out
	perl "$top/tests/lib/pty.pl" keys screen sh start.sh "$@" &
	pty=$!
	exec 8>lines
	pid=$(ready_pid out)
	i=0
	while [ $i -lt $n ]; do
		echo keep
		i=$((i + 1))
	done >&8
	wait_until 60 killed || diag 'the children are not there'
	# They are made at the same time, and half a second is longer than anybody's patience.
	strace -f -qq -o /dev/null -e trace=linkat -e inject=linkat:delay_enter=500000 -p "$(supervisor_of "$pid")" 2>strace.err &
	tracer=$!
	wait_until 60 is_strace_there
	# The program first: the terminal is its own.
	# shellcheck disable=SC2046 # words
	kill -9 "$pid" $(sed -n 's/^child //p' out)
	exec 8>&-
	wait $pty
	wait $tracer 2>/dev/null
	is "$(set -- gmon.*; echo $#)" $((n + 1)) "$*: all files are there"
}

is_strace_there() {
	[ "$(supervisor_of "$(supervisor_of "$pid")")" = "$tracer" ]
}

run -F 100
grep -q "profsup: writing files: [0-9]* of $((n + 1))" screen
ok $? 'a terminal shows how many of all are written' || diag_file screen
# pty.pl takes the carriage returns away: what is left of the erasing are spaces.
tr -d '\n' <screen | grep -q 'of [0-9]*  *profsup: [0-9]* processes, [0-9]* files[; ]'
ok $? 'and the line is erased before the next one' || diag_file screen
run -q
is "$(grep -c 'writing' screen)" 0 '-q: nothing'
run -v
is "$(grep -c 'writing' screen)" 0 '-v: nothing, each file has its own line'
ERR=err
export ERR
run -F 100
is "$(grep -c 'writing' screen err | tr '\n' ' ')" 'screen:0 err:0 ' 'to a file: nothing'
done_testing
