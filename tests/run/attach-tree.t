#!/bin/sh
# san: traced
# -p of a daemon: all that descend from it and run already are profiled, too, each as if it were named.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target prefork)" prefork
started=''
# shellcheck disable=SC2086 # words
trap 'kill -9 $started 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

# lines_are FILE N
lines_are() {
	[ "$(wc -l <"$1")" -ge "$2" ]
}
# start N WORD...: ./prefork, in $main; the numbers of its N processes are in `pids`.
start() {
	want=$1
	shift
	: >pids # what the last one has said
	./prefork "$@" >>pids &
	main=$!
	started="$started $main"
	wait_until 60 lines_are pids "$want"
	xargs -n 1 <pids >all
}
# attach WORD...: profsup with these, in $front.
attach() {
	rm -f gmon.* err
	profsup -F 1000 "$@" 2>err &
	front=$!
}
attached() {
	wait_until 60 grep -qE 'descendants? that ran already' err || diag_file err
}
detach() {
	kill -TERM "$front" 2>/dev/null
	wait_for "$front"
	status=$?
}
# every CONDITION FILE: each process that is named in the file meets it.
every() {
	while read -r pid; do
		"$1" "$pid" || { diag "$1 $pid: no"; return 1; }
	done <"$2"
}
# left_alone PID: it runs on, without a tracer.
left_alone() {
	is_free "$1" && is_going "$1"
}
# named_but PATTERN: what is said of processes by their numbers.
named_but() {
	grep -E '^profsup: -p ' err | grep -vE "$1"
}

# tree N WORD...: each of the N processes has its calls since the attach in its file.
tree() {
	start "$@"
	xargs kill -USR1 <all
	wait_until 60 lines_are pids $((2 * $1))
	attach -p "$main"
	attached
	is "$(sed -n 's/^profsup: \(attached to .* already\), .*/\1/p' err)" "attached to $(($1 - 1)) descendants that ran already" \
		"a tree of $1: a line says how many there are"
	every is_traced all
	ok $? "a tree of $1: all are traced"
	is "$(named_but 'x^')" '' "a tree of $1: nothing else is said of any"
	xargs kill -USR1 <all
	wait_until 60 lines_are pids $((3 * $1))
	detach
	is "$status $(set -- gmon.*; echo $#)" "0 $1" "a tree of $1: each has a file"
	is "$(while read -r pid; do all_calls prefork "gmon.prefork.$pid.out" && echo; done <all | sort -u)" ' work=1000' \
		"a tree of $1: with its calls since then, and no others"
	every left_alone all
	ok $? "a tree of $1: all go on alone"
}
tree 4 3 1
tree 15 2 3

# --no-follow: the one that was named, alone.
start 4 3 1
attach -v --no-follow -p "$main"
wait_until 60 grep -q ': attached, ' err
{ grep -vx "$main" all || true; } >others
is_traced "$main" && every is_free others
ok $? '--no-follow: the others are not traced'
detach
is "$status $(set -- gmon.*; echo "$*") $(grep -c descendant err)" "0 gmon.prefork.$main.out 0" '--no-follow: they have no files'

# A child that was named, too, is not found once more; one that --only leaves out is not a failure.
attach -p "$main" -p "$(head -n 1 others)"
attached
detach
is "$(sed -n 's/^profsup: \(attached to .* already\), .*/\1/p' err) $(named_but 'x^')" 'attached to 2 descendants that ran already ' \
	'one that was named is not counted as found'
# shellcheck disable=SC2016 # another shell's
: >pids
sh -c './prefork 0 0 & echo $! >kid; wait' >>pids &
main=$!
started="$started $main"
wait_until 60 lines_are pids 1 && wait_until 60 test -s kid
started="$started $(cat kid)"
attach --only=prefork -p "$main"
attached
is "$(named_but "^profsup: -p $main: not chosen by --only$")" '' '--only: a child that matches is profiled'
kill -USR1 "$(cat kid)"
wait_until 60 grep -q '^done' pids
detach
is "$status$(all_calls prefork "$(the_file)")" '0 work=1000' 'and that is enough'
attach -v --only=sh -a -p "$main"
wait_until 60 grep -q ': attached, ' err
is_free "$(cat kid)"
ok $? '--only: a child that does not match is left alone'
detach
is "$(named_but 'x^')" '' 'without a word'

# Processes that fork all the time.
start 7 2 2 churn
attach --sum -p "$main"
attached
every is_traced all
ok $? 'a tree that forks all the time: all are traced'
detach
is "$status $(named_but 'x^')" '0 ' 'a tree that forks all the time: nothing is said of any'
every left_alone all
ok $? 'a tree that forks all the time: it goes on alone'
kill -9 "$main"

# A zombie is not spoken of; one that is traced already is, and one that can't be profiled.
mkfifo go
: >pids
perl -e '
	$| = 1;
	exit if !($zombie = fork);
	exec "./prefork", "0", "0" if !($plain = fork);
	exec "./prefork", "0", "0" if !($traced = fork);
	exec "sleep", "1000" if !($stranger = fork);
	do { open $stat, "<", "/proc/$zombie/stat" } until <$stat> =~ /\) Z/;
	print "plain $plain traced $traced stranger $stranger\n";
	<STDIN>' <go >>pids &
main=$!
exec 9>go
started="$started $main"
wait_until 60 lines_are pids 3
# number WHO
number() {
	sed -n "s/.*$1 \([0-9]*\).*/\1/p" pids
}
started="$started $(number plain) $(number traced) $(number stranger)"
profsup -q -p "$(number traced)" &
tracer=$!
wait_until 60 is_traced "$(number traced)"
attach -p "$main"
attached
is "$(named_but 'x^' | sort)" "$(sort <<END
profsup: -p $main: dynamically linked; relink with profsup-cc, or -a takes samples
profsup: -p $(number stranger): dynamically linked; relink with profsup-cc, or -a takes samples
profsup: -p $(number traced): it is traced already, by a debugger or another profsup
END
)" 'those that can not be profiled are named, and a zombie is not'
kill -USR1 "$(number plain)"
wait_until 60 grep -q "^done $(number plain)\$" pids
detach
is "$status$(all_calls prefork "$(the_file)")" '0 work=1000' 'the other child is profiled'
for who in plain stranger; do
	left_alone "$(number $who)"
	ok $? "$who: goes on alone"
done
left_alone "$main" && is_traced "$(number traced)"
ok $? 'the parent, too, and who has another tracer keeps that'
kill -TERM "$tracer"
wait_for "$tracer"

# Children that execute other programs at any time, one after the other.
cat >execs.sh <<'END'
i=0
while [ $i -lt 8 ]; do
	sh -c 'while :; do /bin/true; done' &
	i=$((i + 1))
done
echo ready
wait
END
setsid sh execs.sh >execs.out &
main=$!
started="$started -$main"
wait_until 60 test -s execs.out
for i in 1 2 3 4 5; do
	attach -a -p "$main"
	attached
	detach
	is "$(named_but 'x^')" '' "programs that come and go: nothing is said of any ($i)"
	is "$(for p in $(pgrep -s "$main"); do sed -n 's/^TracerPid:	//p' "/proc/$p/status" 2>/dev/null; done | grep -vc '^0$')" 0 \
		"programs that come and go: none is left traced ($i)"
	is "$(pgrep -c -s "$main" -r t,T)" 0 "programs that come and go: none is left stopped ($i)"
done
pkill -9 -s "$main"

# profsup may be a descendant of what it attaches to.
cat >inside.sh <<'END'
sleep 1000 &
kid=$!
until [ "$(cat /proc/$kid/comm)" = sleep ]; do :; done
profsup -v -a -p $$ --duration=300ms 2>err
kill $kid
END
sh inside.sh
is "$(grep -cE ': attached, ' err) $(named_but 'x^')" '2 ' 'profsup itself, and what it has started, is left out' || diag_file err

# Nor is who waits for profsup, or shows what it prints, taken by the way.
cat >between.sh <<'END'
profsup -v -a -p $PPID --duration=300ms 2>err
:
END
sh -c 'sh between.sh; :'
is "$(grep -cE ': attached, ' err) $(named_but 'x^')" '1 ' 'the shell that waits for profsup is left alone' || diag_file err

# Another user's.
if [ "$(id -u)" -eq 0 ]; then
	chmod 1777 .
	: >pids
	sh -c 'for id in 65534 65533; do setpriv --reuid $id --regid $id --clear-groups ./prefork 0 0 & done; wait' >>pids &
	main=$!
	started="$started $main"
	wait_until 60 lines_are pids 2
	while read -r pid; do
		started="$started $pid"
		if [ "$(stat -c %u "/proc/$pid")" = 65534 ]; then own=$pid; else other=$pid; fi
	done <pids
	rm -f gmon.* err
	setpriv --reuid 65534 --regid 65534 --clear-groups profsup -v -p "$main" 2>err.nobody &
	front=$!
	wait_until 60 grep -qE 'descendant|ptrace_scope' err.nobody
	if grep -q 'ptrace_scope is [123]' err.nobody; then
		skip 'Yama forbids it'
	else
		is "$(sed -n 's/^profsup: -p \([0-9]*\): .*/\1/p' err.nobody | sort)" "$(printf '%s\n' "$main" "$other" | sort)" \
			"other users' processes are named"
		is_traced "$own" && is_free "$other" && is_free "$main"
		ok $? 'and left alone, while the own one is profiled'
	fi
	detach
fi

# A container's root may not read what has become another user: what that leaves out is told in the totals.
cat >user.c <<'END'
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) void
work(void)
{
	for (int i = 0; i < 100000; i++)
		sink++;
}

int
main(int argc, char **argv)
{
	if (setgid(65534) < 0 || setuid(65534) < 0)
		return 1;
	if (argc > 1 && fork() == 0)
		return execv(argv[1], argv + 1);
	if (argc == 1 && fork() == 0) {
		while (clock() < CLOCKS_PER_SEC / 2)
			work();
		_exit(0);
	}
	wait(NULL);
	return 0;
}
END
if [ "$(id -u)" -eq 0 ] && setpriv --bounding-set -sys_ptrace true 2>/dev/null; then
	profsup-cc -O2 -o user user.c 2>err || diag_file err
	hint="(it is another user's, and there is no CAP_SYS_PTRACE: a container needs --cap-add=SYS_PTRACE, a unit CapabilityBoundingSet=CAP_SYS_PTRACE)"
	# without_right WORD...: profsup with these, as such a root.
	without_right() {
		rm -f gmon.*
		setpriv --bounding-set -sys_ptrace "$(command -v profsup)" "$@" 2>err
	}
	without_right -d . -D 50 ./user
	is "$(grep -cF "its calls can't be read: Permission denied: only earlier calls are included $hint" err)" 1 \
		"a child that can't be read: what to give is said" || diag_file err
	is "$(grep -cE '^profsup: 2 processes, .*, 1 process lacks calls' err)" 1 'the total says that one lacks calls' || diag_file err
	! grep -qE '^profsup: 2 processes, .*; 0.000 s' err
	ok $? 'its time is there, also if the profile began after it' || diag_file err
	without_right -d . -a ./user /bin/true
	is "$(grep -cF "its program can't be read: Permission denied: neither its time nor its calls are profiled $hint" err)" 1 \
		"a program that can't be read: that its time is missing is said" || diag_file err
	is "$(grep -cE '^profsup: .*, 1 process is missing' err)" 1 'the total says so' || diag_file err
else
	skip 'needs root, and setpriv'
fi

# Of many descendants that can't be profiled five are named.
cat >many.sh <<'END'
for i in 1 2 3 4 5 6 7 8; do sleep 60 & done
echo all
wait
END
sh many.sh >pids &
main=$!
started="$started $main"
wait_until 60 grep -q all pids
profsup -p "$main" 2>err
is "$(grep -c '^profsup: -p [0-9]*: ' err) $(grep -c "^profsup: -p: 3 more descendants can't be profiled (-v names them)\$" err)" '6 1' \
	'of eight children five are named' || diag_file err
profsup -v -p "$main" 2>err
is "$(grep -c '^profsup: -p [0-9]*: ' err)" 9 '-v names them all' || diag_file err
pkill -9 -P "$main"
done_testing
