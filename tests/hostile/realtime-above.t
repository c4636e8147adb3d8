#!/bin/sh
# check-all: keeps a CPU, and for a second all CPUs, from everybody else
# Programs of a higher real-time priority than the supervisor's, which take CPUs from it for as long as they like: the program
# and the other CPUs are not held up, and where no CPU is left the program goes on alone.
# shellcheck disable=SC2016 # perl expands its own
. "$(dirname "$0")/../lib/testlib.sh"
need_root
chrt -f 60 true 2>/dev/null || skip_all 'real-time priorities are not allowed here'
[ "$(nproc)" -gt 1 ] || skip_all 'needs two CPUs'

cp "$(target realtime-above)" prog
cpus=''
for cpu in $(seq 0 "$(getconf _NPROCESSORS_CONF)"); do
	! taskset -c "$cpu" true 2>/dev/null || cpus="$cpus $cpu"
done
last=${cpus##* }
hogs=''
# shellcheck disable=SC2086 # words
trap 'kill $hogs 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

# hog CPU...: takes these for ten seconds at the most.  What ends them must have a higher priority.
hog() {
	for cpu; do
		chrt -f 90 timeout -s KILL 10 taskset -c "$cpu" chrt -f 60 perl -e '1 while 1' 2>/dev/null &
		hogs="$hogs $!"
	done
}
# shellcheck disable=SC2086 # words
release() {
	kill $hogs 2>/dev/null
	wait $hogs 2>/dev/null
	hogs=''
}

for _ in 1 2 3; do
	profsup -q -F 1000 --sampler=ptrace ./prog >out 2>err &
	wait_until 60 is_gone $!
	ok $? 'a thread of priority 50 that computes beside one of 60 that makes threads holds nobody up' || kill -9 $!
	wait $!
	is "$? $(cat out)" '0 made 60' 'and the program ends as ever'
done

# stays_stopped PID: until it ends, or for two seconds, a hundred looks in a row see it stopped.
stays_stopped() {
	looks=0
	for _ in $(seq 200); do
		! is_gone "$1" || return 1
		looks=$((looks + 1))
		state_is "$1" t || looks=0
		[ $looks -lt 100 ] || return 0
		sleep 0.01
	done
	return 1
}

# This test itself is not to wait for those that it starts.
chrt -f -p 80 $$
mkdir -m 777 there
for user in '' 'setpriv --reuid 65534 --regid 65534 --clear-groups'; do
	for _ in 1 2 3; do
		# shellcheck disable=SC2086 # words
		chrt -o 0 $user profsup -q -F 1000 --sampler=ptrace -d there ./prog 0 1500 >out 2>err &
		run=$!
		wait_until 60 pgrep -P $run prog
		prog=$(pgrep -P $run prog)
		hog "$last"
		! stays_stopped "$prog"
		ok $? "${user:+a user: }while a stranger has a CPU nobody stays stopped" || diag_file err
		release
		wait $run
		is "$? $(cat out)" '0 done' "${user:+a user: }and the program ends as ever"
	done
done

# As a host does that takes a virtual CPU away for a moment.
# shellcheck disable=SC2086 # words
set -- $cpus
chrt -o 0 taskset -c "$1,$2" profsup -F 1000 --sampler=ptrace ./prog 0 3000 >out 2>err &
run=$!
wait_until 60 pgrep -P $run prog
for _ in 1 2 3; do
	for cpu in "$1" "$2"; do
		taskset -c "$cpu" chrt -f 60 perl -MTime::HiRes=time -e '$end = time + 0.15; 1 while time < $end'
		sleep 0.2
	done
done
wait $run
is "$?$(grep 'have all CPUs' err)" 0 'CPUs that are taken for a moment, one after the other, are no reason to end the profile'

chrt -f 70 profsup -F 1000 --sampler=ptrace ./prog 70 2000 >out 2>err &
run=$!
wait_until 60 pgrep -P $run prog
prog=$(pgrep -P $run prog)
# shellcheck disable=SC2086 # words
hog $cpus
wait_until 10 grep -q 'have all CPUs' err
is $? 0 'where all CPUs are taken it is told that the profile ends'
is_let_go() {
	is_gone "$prog" || is_free "$prog"
}
wait_until 10 is_let_go
ok $? 'and the program goes on alone'
release
wait $run
is "$? $(cat out)" '0 done' 'and ends as ever' || diag_file err
done_testing
