#!/bin/sh
# RLIMIT_FSIZE 0: the target can not write a file, the file is written.
. "$(dirname "$0")/../lib/sandbox.sh"

check() {
	alike sandbox-fsize 'exit 6' ./prog
	whole here/prog "$(the_file_in here)"
}

check
calls_alike sandbox-fsize ./prog
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
fi
done_testing
