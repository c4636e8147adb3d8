#!/bin/sh
# An address space of 100 MB, set after start-up, of which the program uses 60.
. "$(dirname "$0")/../lib/sandbox.sh"

check() {
	alike sandbox-as 'exit 0' ./prog
	whole here/prog "$(the_file_in here)"
	is "$(head -n 1 here.out)" '60 MB: not refused' "${who}60 MB of it are the program's"
}

check
calls_alike sandbox-as ./prog
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
fi
done_testing
