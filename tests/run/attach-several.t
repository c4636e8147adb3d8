#!/bin/sh
# -p with several processes: each is profiled as if it were alone, and those that can't be are let go.
# check-all: how soon processes are let go
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target hold)" prog
started=''
# shellcheck disable=SC2086 # words
trap 'kill -9 $started 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

# start NUMBER: ./prog, which waits for a line in NUMBER.in; its number in NUMBER.pid.
start() {
	mkfifo "$1.in"
	./prog 0 <"$1.in" >"$1.pid" &
	started="$started $!"
}

pid_of() {
	cat "$1.pid"
}

# attach WORD...: profsup with these, in $front.
attach() {
	rm -f gmon.* err
	profsup -v -F 1000 "$@" >p.out 2>err &
	front=$!
}
# attached N: it has attached to so many.
is_attached() {
	[ "$(grep -c ': attached, ' err)" -eq "$1" ]
}
attached() {
	wait_until 60 is_attached "$1" || diag_file err
}

start 1
start 2
start 3
exec 7<>1.in 8<>2.in 9<>3.in
for i in 1 2 3; do
	wait_until 60 test -s $i.pid
done
sleep 100 &
stranger=$!
started="$started $stranger"

attach -p "$(pid_of 1),4194303" -p "$stranger $(pid_of 2)" --pid="$(pid_of 1)"
attached 2
is "$(grep -c "^profsup: -p 4194303: there is no such process$" err)" 1 'one that does not exist is told'
is "$(grep -c "^profsup: -p $stranger: dynamically linked; " err)" 1 'so is one that was not linked for us'
wait_until 60 is_free "$stranger" && state_is "$stranger" S
ok $? 'which is let go while the others are profiled'
! is_free "$(pid_of 1)" && ! is_free "$(pid_of 2)" && is_free "$(pid_of 3)"
ok $? 'those that were asked for are traced, and no other'
echo go >&7
wait_until 60 test -s "gmon.prog.$(pid_of 1).out"
ok $? 'the file of one that ends is written'
! is_free "$(pid_of 2)" && is_going "$front"
ok $? 'while the other goes on'
echo go >&8
wait_for "$front"
is "$? $(grep -c '^profsup: -p' err)" '0 2' 'profsup ends with the last, and that is no failure'
for i in 1 2; do
	is "$(all_calls prog "gmon.prog.$(pid_of $i).out")" ' work=12345' "its calls are in the file of $i"
done
is "$(set -- gmon.*; echo $#)" 2 'there is no other file'

# None of them.
profsup -q -p "4194303,$stranger" 2>err
is "$? $(wc -l <err)" '125 2' 'if none can be profiled, that is a failure'
is_free "$stranger" && state_is "$stranger" S
ok $? 'and nothing happens to them'

# A process and its children, by what pidof and pgrep print; the end is a signal's.
# shellcheck disable=SC2016 # another shell's
sh -c 'for i in 1 2; do perl -e "1 while 1" & echo $!; done >children; echo >is-ready; wait' &
parent=$!
started="$started $parent"
wait_until 60 test -s is-ready
started="$started $(xargs <children)"
attach -a -p "$parent $(cat children)"
attached 3
sleep 0.3
kill -TERM "$front"
wait_for "$front"
is "$? $(set -- gmon.perl.*; echo $#)" '0 2' 'each child has its file'
while read -r child; do
	is_free "$child" && is_going "$child"
	ok $? 'and goes on alone'
done <children
attach -a -p "$parent,$(head -n 1 children)" --no-follow --duration=300ms
attached 2
wait_for "$front"
is "$(set -- gmon.perl.*; echo $#)" 1 'with --no-follow one that was not asked for has no file'

# Two processes, one memory: bins and tables are one process's.
cat >twins.c <<'END'
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static char stack[65536];

static int
twin(void *arg)
{
	for (;;)
		pause();
	return arg != NULL;
}

int
main(void)
{
	printf("%d\n", clone(twin, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL));
	fflush(stdout);
	return twin(NULL);
}
END
cc -D_GNU_SOURCE -o twins twins.c 2>err || diag_file err
./twins >twin &
one=$!
wait_until 60 test -s twin
started="$started $one $(cat twin)"
attach -a -p "$one,$(cat twin)"
attached 1
wait_until 60 grep -q 'shares its memory' err
is "$(grep -c "^profsup: -p $(cat twin): it shares its memory with another -p$" err)" 1 'of two that share their memory one is profiled'
wait_until 60 is_free "$(cat twin)" && is_traced "$one"
ok $? 'and the other is let go'
kill "$front"
wait_for "$front" 2>/dev/null

# What one that is let go has made meanwhile is let go, too.  Each of its children stays for as long as it is traced.
cat >family.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int
is_traced(void)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");
	int traced = 0;

	while (fgets(line, sizeof(line), f) != NULL)
		traced |= strncmp(line, "TracerPid:", 10) == 0 && strcmp(line, "TracerPid:\t0\n") != 0;
	fclose(f);
	return traced;
}

int
main(void)
{
	printf("%d\n", getpid());
	fflush(stdout);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			while (is_traced())
				usleep(10000);
			_exit(0);
		}
		usleep(1000);
	}
}
END
cc -o family family.c 2>err || diag_file err
./family >family.pid &
started="$started $!"
wait_until 60 test -s family.pid
# The more processes come after it, the longer it is held.
many=''
# shellcheck disable=SC2034 # a number
for i in $(seq 60); do
	sleep 100 &
	many="$many $!"
done
started="$started $many"
start 4
exec 7<>4.in
wait_until 60 test -s 4.pid
attach -p "$(cat family.pid)$many $(pid_of 4)"
attached 1
supervisor=$(supervisor_of "$(pid_of 4)")
# only_traced PID: the supervisor traces no other process.
only_traced() {
	[ "$(grep -l "^TracerPid:[[:space:]]$supervisor\$" /proc/[0-9]*/status 2>/dev/null)" = "/proc/$1/status" ]
}
wait_until 5 only_traced "$(pid_of 4)"
ok $? 'what one makes until it is let go is let go, too'
kill -9 "$(cat family.pid)"
echo go >&7
wait_for "$front"

# shellcheck disable=SC2086 # words
kill -9 $many
# Where descriptors are few, that is said, whichever of them is the last.
mkfifo many.in
many=''
for i in $(seq 20); do
	./prog 0 <many.in >"many.$i.pid" &
	many="$many $!"
done
started="$started $many"
exec 6<>many.in
for i in $(seq 20); do
	wait_until 60 test -s "many.$i.pid"
done
: >all.err
for n in 40 41 42; do
	prlimit --nofile=$n "$(command -v profsup)" -p "$many" --duration=100ms 2>err
	cat err >>all.err
done
is "$(grep -c 'Too many open files' all.err | sed 's/[1-9][0-9]*/some/') $(grep -c 'No such process' all.err)" 'some 0' \
	'no process is said to be gone that is not' || diag_file all.err
# shellcheck disable=SC2086 # words
kill -9 $many

# One that can't be stopped, in a vfork, can't be let go, and is not waited for.
cat >waiter.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

int
main(void)
{
	printf("%d\n", getpid());
	fflush(stdout);
	if (vfork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return 0;
}
END
cc -o waiter waiter.c 2>err || diag_file err
./waiter >waiter.pid &
started="$started $!"
wait_until 60 test -s waiter.pid && wait_until 60 state_is "$(cat waiter.pid)" D
start 5
exec 7<>5.in
wait_until 60 test -s 5.pid
attach -p "$(cat waiter.pid),$(pid_of 5)"
attached 1
echo go >&7
wait_until 60 is_gone "$front"
ok $? 'one that is in a vfork keeps nobody from the end' || kill -KILL "$front"
is_free "$(cat waiter.pid)" && state_is "$(cat waiter.pid)" D
ok $? 'and waits on'
wait_for "$front"
is "$? $(all_calls prog "gmon.prog.$(pid_of 5).out")" '0  work=12345' 'the other has its file'

# All that have stopped are let go.  A supervisor of the least priority finds both stopped when it asks for the first.  It may
# wait long for a CPU, but it does not sleep while one of them is stopped.
mkdir -m 777 there
user=''
[ "$(id -u)" -ne 0 ] || user='setpriv --reuid 65534 --regid 65534 --clear-groups'
cpu=$(taskset -cp $$ | sed 's/.*[^0-9]//')
any_is_stopped() {
	for pid; do
		! state_is "$pid" t || return 0
	done
	return 1
}
# is_idle_beside PID...: until the run ends, twenty looks in a row see its supervisor asleep and one of these stopped.  After
# half a minute without an end it gets its priority back.
is_idle_beside() {
	supervisor=$(supervisor_of "$1") looks=0 left=1500
	kill -TERM "$front"
	while is_going "$front" && [ $looks -lt 20 ] && [ $left -gt 0 ]; do
		left=$((left - 1))
		if state_is "$supervisor" S && any_is_stopped "$@"; then
			looks=$((looks + 1))
		else
			looks=0
		fi
		sleep 0.02
	done
	[ $looks -ge 20 ]
}
if chrt -i 0 true 2>err; then
	for name in a b; do
		# shellcheck disable=SC2086 # words
		$user taskset -c "$cpu" sleep 100 2>/dev/null &
		echo $! >$name.pid
		started="$started $!"
	done
	wait_until 60 state_is "$(cat a.pid)" S && wait_until 60 state_is "$(cat b.pid)" S
	idle=0
	for i in 1 2 3 4 5; do
		rm -f err
		# shellcheck disable=SC2086 # words
		$user taskset -c "$cpu" chrt -i 0 profsup -v -a -d there -p "$(cat a.pid) $(cat b.pid)" 2>err &
		front=$!
		wait_until 30 is_attached 2 && is_idle_beside "$(cat a.pid)" "$(cat b.pid)" && idle=$((idle + 1))
		for pid in $front $(pgrep -P $front); do
			chrt -a -o -p 0 "$pid" 2>/dev/null
		done
		kill -TERM $front 2>/dev/null
		wait_for $front
	done
	is $idle 0 'two that stop at once are both let go at once'
else
	skip 'needs chrt'
fi
done_testing
