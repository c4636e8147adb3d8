#!/bin/sh
# san: no room
# Limits that the caller of profsup has are the target's as well, and do not keep the file from being written
# as long as they may be raised.
. "$(dirname "$0")/../lib/sandbox.sh"

check() {
	for limit in --fsize=0:unlimited --nofile=16:1024 --as=100000000:unlimited --cpu=5:100; do
		fresh here "$(target sandbox-none)"
		# Into a pipe: a file could take nothing.
		# shellcheck disable=SC2016 # for the shell inside
		# shellcheck disable=SC2086 # words
		run here $as sh -c '{ prlimit "$1" profsup -F 1000 ./prog; echo "exit $?"; } 2>&1 | cat >&2' sh $limit
		is "$(tail -n 1 here.err)" 'exit 0' "${who}under $limit it ends as it would alone"
		whole here/prog "$(the_file_in here)"
	done
	fresh here "$(target sandbox-none)"
	# shellcheck disable=SC2086 # words
	run here $as sh -c 'umask 777; exec profsup -F 1000 ./prog'
	is "$(said here.status here.err)" 'exit 0' "${who}under umask 777 it ends as it would alone"
	whole here/prog "$(the_file_in here)"
}

check
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
fi
done_testing
