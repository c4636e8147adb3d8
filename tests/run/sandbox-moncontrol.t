#!/bin/sh
# moncontrol(0) and moncontrol(1) where only read, write, exit and sigreturn are left: stores to memory.
. "$(dirname "$0")/../lib/sandbox.sh"

check() {
	alike sandbox-moncontrol 'exit 0' ./prog
	file=$(the_file_in here)
	whole here/prog "$file" 4
	is "$(calls here/prog "$file" unseen)" 0 "${who}no call between the two is counted"
}

check
calls_alike sandbox-moncontrol ./prog
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
fi
done_testing
