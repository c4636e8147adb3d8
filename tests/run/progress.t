#!/bin/sh
# The line that tells how many files are still to be written when all processes have ended: on a terminal, and nowhere else.
# san: traced
. "$(dirname "$0")/../lib/testlib.sh"
command -v strace >/dev/null || skip_all 'needs strace'
need_root # nobody else may trace a supervisor

cp "$(target steps)" steps
n=10
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
	# They are made at the same time, no end waits for them for longer than a second, and we wait then.
	strace -f -qq -o /dev/null -e trace=linkat -e inject=linkat:delay_enter=3000000 -p "$(supervisor_of "$pid")" 2>strace.err &
	tracer=$!
	wait_until 60 is_strace_there || diag_file strace.err
	# The program first: the terminal is its own.
	# shellcheck disable=SC2046 # words
	kill -9 "$pid" $(sed -n 's/^child //p' out)
	exec 8>&-
	wait $pty
	wait $tracer 2>/dev/null
	is "$(set -- gmon.*; echo $#)" $((n + 1)) "$*: all files are there"
}

is_strace_there() {
	[ "$(sed -n 's/^TracerPid:	//p' "/proc/$(supervisor_of "$pid")"/task/*/status | sort -u)" = "$tracer" ]
}

run -F 100
is "$(grep -c '^profsup: waiting for files: [0-9]* are not written yet' screen)" 1 'a terminal shows how many are not written, once' || diag_file screen
run -q
is "$(grep -c 'waiting' screen)" 0 '-q: nothing'
ERR=err
export ERR
run -F 100
is "$(grep -c 'waiting' screen err | tr '\n' ' ')" 'screen:0 err:0 ' 'to a file: nothing'
done_testing
