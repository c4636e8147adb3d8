#!/bin/sh
# A target that closes all its descriptors.
. "$(dirname "$0")/../lib/sandbox.sh"

check() {
	alike sandbox-closed 'exit 8' ./prog
	whole here/prog "$(the_file_in here)"
}

check
calls_alike sandbox-closed ./prog
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
fi
done_testing
