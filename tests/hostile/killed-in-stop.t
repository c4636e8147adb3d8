#!/bin/sh
# SIGKILL that meets a thread in one of our stops takes it out of there and on to its end: that we let it go on from
# the stop must not cost its profile.
# shellcheck disable=SC2016 # perl and inner shells expand their own
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"
need_root # for strace of the supervisor

cp "$(target rt-killed)" prog

# When it is found stopped, by a supervisor that needs 20 ms from the news of the stop on.  Where the kill comes between the
# last look and the resume, the calls since the last reading are lost, and that is told (CAVEATS): of a thread that strace
# slows down one in twenty.  More than seven of twelve are then lost once in 5 * 10^7 times.
whole=0 told=0
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	rm -f gmon.* shared
	truncate -s 4096 shared
	profsup -F 1000 ./prog shared 9223372036854775807 1 >out 2>err &
	wait_until 60 sh -c '[ "$(od -An -t d8 -N 8 shared)" -gt 100000 ]'
	pid=$(pgrep -P $! -x prog)
	supervisor=$(supervisor_of "$pid")
	strace -q -o /dev/null -e trace=wait4 -e inject=wait4:delay_exit=20000 -p "$supervisor" 2>strace.err &
	wait_until 60 grep -q 'TracerPid:.*[1-9]' "/proc/$supervisor/status"
	wait_until 60 perl -e 'for (1 .. 100000) {
		open my $f, "<", "/proc/$ARGV[0]/stat" or exit 1;
		select(undef, undef, undef, 0.002), kill("KILL", $ARGV[0]), exit 0 if <$f> =~ /\) t /;
	} exit 1' "$pid"
	wait_until 60 is_gone "$supervisor"
	arcs_of prog gmon.*.out | perl -ne '
		BEGIN { open F, "<", "shared"; read F, $d, 8; $n = unpack "q", $d }
		/t_calls0 (\d+)/ and $got = $1;
		END { exit !($n > 0 && ($got == $n || $got == $n + 1)) }'
	case $?$(grep -c 'killed without an exit stop' err) in
	00) whole=$((whole + 1)) ;;
	*1) told=$((told + 1)) ;;
	esac
	wait
done
is "$((whole + told))" 12 'killed in a stop: every call is in the file, or it is told that some are not'
between "$whole" 5 12 'and nearly always they are' || diag "$told times not"

# The same while it dumps core: then there is no exit stop.
rm -f gmon.*
cp "$(target core)" prog
prlimit --core=unlimited profsup ./prog 800 >out 2>err &
wait_until 60 grep -q dumping out
pid=$(pgrep -P $! -x prog)
wait_until 60 grep -q 'CoreDumping:.*1' "/proc/$pid/status"
ok $? 'a program dumps core'
kill -KILL "$pid"
{ wait $!; } 2>/dev/null
is $? 137 'it is killed meanwhile'
is "$(calls prog gmon.prog.*.out t_calls)" 1000 'and its calls are in the file'
done_testing
