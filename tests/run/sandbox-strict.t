#!/bin/sh
# seccomp's strict mode: read, write, exit and sigreturn are all there is.
. "$(dirname "$0")/../lib/sandbox.sh"

check() {
	alike sandbox-strict 'exit 5' ./prog
	is "$(head -n 1 here.out)" strict "${who}strict mode can be entered"
	whole here/prog "$(the_file_in here)"
	alike sandbox-strict 'signal 9' ./prog violate
	is "$(tail -n 1 here.out)" worked "${who}it is killed for a call that is not one of the four"
	whole here/prog "$(the_file_in here)"
}

check
calls_alike sandbox-strict ./prog
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
fi
done_testing
