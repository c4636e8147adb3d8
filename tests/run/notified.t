#!/bin/sh
# A system call that waits for another process's answer (SECCOMP_RET_USER_NOTIF) is not interrupted at the end of a profile: it
# would ask once more.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target notified)" prog
is "$(./prog 8 20 1)" 'asked 8 times' 'alone it asks as often as it calls' || skip_all "$(./prog 8 20 1)"
for sampler in $(samplers); do
	# The thread may have been on its way into such a call when it was found outside, and ptrace's samples may meet it, too.
	for _ in 1 2 3 4; do
		profsup -q "--sampler=$sampler" -F 10 --duration=0.9 ./prog 8 20 300 >out 2>err
		status=$?
		[ "$(cat out)" != 'asked 8 times' ] || break
	done
	is "$status $(cat out err)" '0 asked 8 times' "$sampler: the end of a profile, during such a call"
done
done_testing
