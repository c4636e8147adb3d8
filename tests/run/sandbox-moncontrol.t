#!/bin/sh
# moncontrol(0) and moncontrol(1) where only read, write, exit and sigreturn are left: stores to memory.
. "$(dirname "$0")/../lib/sandbox.sh"

check() {
	alike sandbox-moncontrol 'exit 0' ./prog
	file=$(the_file_in here)
	whole here/prog "$file" 4
	is "$(calls here/prog "$file" unseen)" 0 "${who}no call between the two is counted"
	# unseen() runs as long as all the rest; what it may have is a tick until the supervisor looks,
	# more on a busy machine.
	between "$(part_of here/prog "$file" unseen)" 0 0.1 "${who}the time between the two is not sampled"
}

# The part of the program's time that a function had.
part_of() {
	gprof -b -p -z "$1" "$2" 2>/dev/null | awk -v name="$3" '
		$NF == name { part = $1 / 100 }
		END { print part + 0 }'
}

check
# Ticks that come faster than a program is asked that has not paused before.
rm -f gmon.*
cp here/prog prog
profsup -F 2000 ./prog >out 2>err
between "$(part_of prog "$(the_file)" unseen)" 0 0.1 '2,000 Hz: nor is it then'
calls_alike sandbox-moncontrol ./prog
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
fi
done_testing
