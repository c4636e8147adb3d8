#!/bin/sh
# A different seccomp filter in each of four threads.
. "$(dirname "$0")/../lib/sandbox.sh"

check() {
	alike sandbox-threads 'exit 0' ./prog
	whole here/prog "$(the_file_in here)" 4
}

check
calls_alike sandbox-threads ./prog
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
fi
done_testing
