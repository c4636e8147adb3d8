#!/bin/sh
# RLIMIT_NOFILE 0: the target can not open a descriptor.
. "$(dirname "$0")/../lib/sandbox.sh"

check() {
	alike sandbox-nofile 'exit 0' ./prog
	whole here/prog "$(the_file_in here)"
}

check
calls_alike sandbox-nofile ./prog
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
fi
done_testing
