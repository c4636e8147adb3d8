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

cp "$(target hostile-pid)" prog
for how in ghost replace; do
	tries=5
	# Somebody else may have taken the number.
	while [ "$tries" -gt 0 ]; do
		rm -f gmon.*
		timeout -s KILL 30 profsup -d . ./prog $how >out 2>err
		status=$?
		grep -q '^no' out || break
		tries=$((tries - 1))
	done
	grep -q '^no' out && {
		skip "$how: $(cat out)"
		continue
	}
	is "$status" 0 "$how: a process has the number of one that is gone"
	is "$(all_of victims)" 1000 "$how: every call of the innocent one is in a file"
done
done_testing
