#!/bin/sh
# A seccomp filter that kills the process for every call but write and exit_group.
. "$(dirname "$0")/../lib/sandbox.sh"

check() {
	alike sandbox-seccomp 'exit 3' ./prog
	whole here/prog "$(the_file_in here)"
	# Our number is unknown to its filter, and so is every other call that we could have made.
	alike sandbox-seccomp 'signal 31' ./prog violate
	is "$(tail -n 1 here.out)" worked "${who}it dies of the call that its filter does not know"
	whole here/prog "$(the_file_in here)"
}

check
calls_alike sandbox-seccomp ./prog
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
fi
done_testing
