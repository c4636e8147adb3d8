#!/bin/sh
# no_new_privs.
. "$(dirname "$0")/../lib/sandbox.sh"

check() {
	alike sandbox-nnp 'exit 0' ./prog
	whole here/prog "$(the_file_in here)"
}

check
calls_alike sandbox-nnp ./prog
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
fi
done_testing
