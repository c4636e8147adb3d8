#!/bin/sh
# A number that is used again: neither takes the new process the old one's place nor its file.
. "$(dirname "$0")/../lib/testlib.sh"
need_root

# all_of NAME: how often NAME was called, in all files together.
all_of() {
	for file in gmon.prog.*; do
		calls prog "$file" "$1"
	done | awk '{ n += $1 } END { print n }'
}

# reuse HOW [OPTIONS]: runs prog.  False: there is no number that is used again.
reuse() {
	how=$1
	shift
	tries=5
	# Somebody else may have taken the number.
	while [ "$tries" -gt 0 ]; do
		rm -f gmon.* stacks.*
		timeout -s KILL 30 profsup -d . "$@" ./prog "$how" >out 2>err
		status=$?
		grep -q '^no' out || return 0
		tries=$((tries - 1))
	done
	skip "$how: $(cat out)"
	return 1
}

cp "$(target hostile-pid)" prog
for how in ghost replace; do
	reuse $how || continue
	is "$status" 0 "$how: a process has the number of one that is gone"
	is "$(all_of victims)" 1000 "$how: every call of the innocent one is in a file"
done

# in_stop PID: the process and all of its children have stopped for their tracer.
in_stop() {
	state_is "$1" t && ps -o stat= --ppid "$1" | awk '!/^t/ { going = 1 } END { exit going }'
}

# Its first stop may be seen before its creator's event is: the supervisor is stopped until both are there.
late() {
	tries=5
	while [ "$tries" -gt 0 ]; do
		rm -f gmon.* go out
		mkfifo go
		timeout -s KILL 60 profsup -d . ./prog ghost-late <go >out 2>err &
		run=$!
		exec 3>go
		creator=$(ready_pid out)
		supervisor=$(supervisor_of "$creator")
		front=$(stat_field "$supervisor" 2)
		kill -STOP "$front" "$supervisor"
		wait_until 60 is_stopped "$supervisor"
		echo >&3
		wait_until 120 in_stop "$creator"
		there=$?
		kill -CONT "$supervisor" "$front"
		exec 3>&-
		wait_for "$run"
		status=$?
		grep -q '^no' out || return "$there"
		tries=$((tries - 1))
	done
	return 1
}
if late; then
	is "$status $(all_of victims)" '0 1000' "ghost: every call of the innocent one, whose first stop was seen first, is in a file"
else
	skip "ghost-late: $(tr '\n' ' ' <out)"
fi

# The names of code that a process has made are its own, not its successor's.
gcc -O1 -D_GNU_SOURCE -o prog "$(source_of_target any-pid)" || bail 'no compiler'
for how in reuse stale; do
	reuse $how -q -a -F 1000 || continue
	for file in stacks.prog.*; do
		perl "$top/tests/lib/stacks.pl" folded "$file" | awk '
			/of_the_first/ { named += $NF }
			/0x[0-9a-f]+ / { nameless += $NF }
			END { print (named > 100 ? "named" : nameless > 100 ? "nameless" : "other") }'
	done | sort >kinds
	is "$(grep -v other kinds | tr '\n' ' ')" 'named nameless ' "$how: code has the names that its own process has given it"
done
done_testing
