#!/bin/sh
# SIGKILL to the front, to the supervisor or to both while a program is about to start: nobody waits for the dead, and
# the caller's stdout is let go of.
# check-all: kills at random moments
. "$(dirname "$0")/../lib/hostile.sh"
command -v strace >/dev/null || skip_all 'needs strace'

# The directory is one of its own: others' leftovers are not ours.
chmod 755 .
cp "$(target lively)" prog
for sampler in ptrace perf; do
	[ $sampler = ptrace ] || profsup -q -d . --sampler=perf true 2>/dev/null || continue
	perl "$testdir/kills.pl" "$scratch" sweep profsup -q --sampler=$sampler ./prog 1 >out 2>err
	is "$(grep wrong out)" '' "$sampler: the front is killed before each of its system calls: nobody is left"
	between "$(sed -n 's/^calls //p' out)" 8 1000 "$sampler: which are some" || diag_file err
	perl "$testdir/kills.pl" "$scratch" random "$(rounds 150 1000)" front,supervisor,both 4 \
		profsup -q --sampler=$sampler ./prog 1 >out 2>err
	is "$(grep wrong out)" '' "$sampler: one or both are killed at any moment of the start: nobody is left" ||
		diag "$(grep seed out)"
	between "$(awk '/^killed (front|both|supervisor)/ { n += $3 } /and so on/ { n += 50 } END { print n }' out)" 50 1000 \
		"$sampler: most of them were there to be killed" || diag_file err
	rm -f gmon.*
done
done_testing
