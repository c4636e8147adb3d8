#!/bin/sh
# A plain user's program may lock all of its memory under profsup if it may alone, and its calls are counted.
. "$(dirname "$0")/../lib/sandbox.sh"

[ "$(id -u)" -ne 0 ] || as_nobody
cat >locks.c <<'EOS'
#include <stdio.h>
#include <sys/mman.h>
__attribute__((noinline)) int hot(int a) { __asm__ volatile(""); return a + 1; }
int
main(void)
{
	int n = 0;

	if (mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
		perror("mlockall");
	while (n < 20001)
		n = hot(n);
	return 0;
}
EOS
limits=65536
# Where a container's limit is lower, no program may lock so much.
! prlimit --memlock=8388608 true 2>refused || limits="$limits 8388608"
for how in -static -static-pie; do
	profsup-cc -O1 -w $how -o locks locks.c || bail 'profsup-cc'
	fresh here "$scratch/locks"
	for limit in $limits; do
		# shellcheck disable=SC2086 # words
		run here prlimit --memlock="$limit" $as ./prog
		cp here.err alone.err
		if [ "$limit" != 65536 ]; then
			is "$(cat alone.err)" '' "$how, $limit: alone the program may lock its memory"
		fi
		# shellcheck disable=SC2086 # words
		run here prlimit --memlock="$limit" $as profsup -q ./prog
		cmp alone.err here.err >&2
		ok $? "$how, $limit: under profsup, too" || diag_file here.err
		is "$(calls here/prog "$(the_file_in here)" hot)" 20001 "$how, $limit: its calls are counted"
		rm here/gmon.*
	done
done
done_testing
