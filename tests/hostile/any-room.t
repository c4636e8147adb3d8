#!/bin/sh
# -a where there is no room: for descriptors, or on the disk.  The programs run to their own end, and each of them has its
# whole profile or a line that says why not.
# san: no room
if [ "${PROFSUP_TEST_IN_NS:-}" != 1 ] && [ "$(id -u)" -eq 0 ]; then
	PROFSUP_TEST_IN_NS=1 exec unshare -m --propagation private "$0"
fi
. "$(dirname "$0")/../lib/hostile.sh"

# Uses so much CPU time, two thirds of it in dear(), and says how much that was, in ms, and how many descriptors it may have.
cat >known.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) static void spin(void) { for (volatile int i = 0; i < 20000; i++) ; }
__attribute__((noinline)) void dear(void) { spin(); spin(); __asm__(""); }
__attribute__((noinline)) void cheap(void) { spin(); __asm__(""); }
int main(int argc, char **argv) {
	char line[100];
	struct rlimit most;
	while (clock() < atoi(argv[argc - 1]) * (CLOCKS_PER_SEC / 1000)) { dear(); cheap(); }
	getrlimit(RLIMIT_NOFILE, &most);
	return write(1, line, sprintf(line, "%d %d %d\n", getpid(), (int)(clock() / (CLOCKS_PER_SEC / 1000)), (int)most.rlim_cur)) < 0;
}
EOF
gcc -O1 -fno-optimize-sibling-calls -o known known.c || bail 'no compiler'
chmod 755 known

# accounted: "silent PID" of each program in `programs` that has neither a file nor a line, "wrong PID ..." of each whose file
# has not its time (-F 1000).
accounted() {
	while read -r pid ms _; do
		if [ -f "gmon.known.$pid.out" ] && [ -f "stacks.known.$pid.pb.gz" ]; then
			awk -v ticks="$(perl "$top/tests/lib/stacks.pl" ticks "stacks.known.$pid.pb.gz")" -v want="$ms" -v pid="$pid" 'BEGIN {
				if ((ticks - want) ^ 2 > 16 * want) print "wrong", pid, ticks, want }'
		elif ! grep -qE "^profsup: ($pid: .*: not profiled|.*known\.$pid\..*: Too many open files)$" "$scratch/err"; then
			echo "silent $pid"
		fi
	done <programs
}

few_descriptors() {
	cp ../known .
	for most in 16 28 40 64; do
		rm -f gmon.* stacks.*
		# shellcheck disable=SC2016 # an inner shell expands its own
		# shellcheck disable=SC2086 # words
		prlimit --nofile=$most:$most $run -a -F 1000 --sampler=ptrace sh -c 'for i in $(seq 30); do ./known 30 & done; wait; exit 7' \
			>programs 2>"$scratch/err"
		is $? 7 "$who$most descriptors: the exit status is the program's"
		is "$(awk -v most=$most '$3 == most' programs | wc -l)" 30 "$who$most descriptors: all programs run, with that limit"
		is "$(accounted)" '' "$who$most descriptors: each has a whole profile or a line" || diag_file "$scratch/err"
	done
}

each_way few_descriptors
done_testing
