#!/bin/sh
# -a where there is no room: for descriptors, or on the disk.  The programs run to their own end, and each of them has its
# whole profile or a line that says why not.
# san: no room
# check-all: CPU time of short programs, as measured
if [ "${PROFSUP_TEST_IN_NS:-}" != 1 ] && [ "$(id -u)" -eq 0 ]; then
	PROFSUP_TEST_IN_NS=1 exec unshare -m --propagation private "$0"
fi
. "$(dirname "$0")/../lib/hostile.sh"

# Uses so many ms of CPU time, and says how many they were, and how many descriptors it may have.
cat >known.c <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
__attribute__((noinline)) static void spin(void) { for (volatile int i = 0; i < 20000; i++) ; }
int main(int argc, char **argv) {
	char line[100];
	struct rlimit most;
	while (clock() < atoi(argv[argc - 1]) * (CLOCKS_PER_SEC / 1000)) spin();
	getrlimit(RLIMIT_NOFILE, &most);
	return write(1, line, sprintf(line, "%d %d %d\n", getpid(), (int)(clock() / (CLOCKS_PER_SEC / 1000)), (int)most.rlim_cur)) < 0;
}
EOF
gcc -O1 -fno-optimize-sibling-calls -o known known.c || bail 'no compiler'
# Its stacks lead through the C library, whose table is longer than the files of its profile.
cat >sorts.c <<'EOF'
#include <stdlib.h>
#include <time.h>
__attribute__((noinline)) int compare(const void *a, const void *b) { for (volatile int i = 0; i < 20000; i++) ; return *(const int *)a - *(const int *)b; }
int main(void) {
	while (clock() < CLOCKS_PER_SEC / 5) {
		int numbers[] = { 5, 3, 8, 1 };
		qsort(numbers, 4, sizeof(*numbers), compare);
	}
	return 7;
}
EOF
gcc -O1 -fno-optimize-sibling-calls -o sorts sorts.c || bail 'no compiler'
chmod 755 known sorts

# accounted PATTERN: "silent PID" of each program that has neither its files nor a line with that end, "wrong PID ..." of each
# whose file has too many ticks (-F 1000), or too few, but for those that the summary says were not seen.
accounted() {
	unseen=$(not_seen "$scratch/err")
	while read -r pid ms _; do
		if [ -f "gmon.known.$pid.out" ] && [ -f "stacks.known.$pid.pb.gz" ]; then
			perl "$top/tests/lib/gmon.pl" ticks "gmon.known.$pid.out" >/dev/null || echo "broken $pid"
			ticks=$(perl "$top/tests/lib/stacks.pl" ticks "stacks.known.$pid.pb.gz")
			[ $(((ticks - ms) * (ticks - ms))) -gt $((16 * ms)) ] || continue
			# Whole ticks are not seen: there may be two more.
			[ "$ticks" -gt "$ms" ] || unseen=$((unseen - ms + ticks + 2))
			[ "$ticks" -lt "$ms" ] && [ "$unseen" -ge 0 ] || echo "wrong $pid $ticks $ms ($unseen)"
		elif ! grep -qE "^profsup: ($pid|.*(gmon|stacks)\.known\.$pid\.(out|pb\.gz)): $1\$" "$scratch/err"; then
			echo "silent $pid"
		fi
	done <"$scratch/programs"
}

# thirty WHAT REASON COMMAND...: runs 30 programs by the words of the command, which are profsup's; a program that has no whole
# profile has a line with the reason.
thirty() {
	what=$1
	reason=$2
	shift 2
	# shellcheck disable=SC2016 # an inner shell expands its own
	"$@" -a -F 1000 --sampler=ptrace --only=known sh -c 'for i in $(seq 30); do "$0" 30 & done; wait; exit 7' "$scratch/dir/known" \
		>"$scratch/programs" 2>"$scratch/err"
	is $? 7 "$who$what: the exit status is the program's"
	is "$(wc -l <"$scratch/programs")" 30 "$who$what: all programs run to their end"
	is "$(accounted "$reason")" '' "$who$what: each has a whole profile or a line" || diag_file "$scratch/err"
	is "$(find . -name '.?*')" '' "$who$what: no part of a file is left"
}

few_descriptors() {
	cp ../known .
	for most in 16 64; do
		rm -f gmon.* stacks.*
		# shellcheck disable=SC2086 # words
		thirty "$most descriptors" '.*Too many open files(: not profiled|: neither its time nor its calls are profiled)?( \(see ulimit -H -n\))?' prlimit --nofile=$most:$most $run
		is "$(grep -c " $most\$" "$scratch/programs")" 30 "$who$most descriptors: that is the programs' limit, too"
	done
}

# small KIB: we are in a file system that has so much room left.
small() {
	mkdir small
	mount -t tmpfs -o size=64k,mode=777 none small || bail "can't mount a tmpfs"
	cd small || bail small
	head -c $((65536 - 1024 * $1)) /dev/zero >filler
}

small_end() {
	cd ..
	umount small
	rmdir small
}

# attached REASON WHAT: a program to which profsup has been attached, whose file can't be written.
attached() {
	# shellcheck disable=SC2086 # words
	$as ../known 300 >"$scratch/programs" &
	program=$!
	wait_until 60 test "/proc/$program/exe" -ef ../known
	# shellcheck disable=SC2086 # words
	$as profsup -a -F 1000 --sampler=ptrace -p "$program" 2>"$scratch/err"
	is $? 125 "$who$2, -p: the exit status says that there is no file"
	wait "$program"
	is $? 0 "$who$2, -p: the program goes on to its end"
	is "$(said "$scratch/err")" "profsup: $PWD/gmon.known.$program.out: $1 (try -d)" "$who$2, -p: one line names file and reason"
}

# A page for each file: two of the three that are left are one program's, and the next one has no room for its stacks.
full_disk() {
	as=${run% profsup*}
	[ "$as" != "$run" ] || as=
	cp ../known .
	chmod 755 .
	small 12
	# shellcheck disable=SC2086 # words
	thirty full 'No space left on device \(try -d\)' $run
	is "$(find . -name 'gmon.*' | wc -l) $(find . -name 'stacks.*' | wc -l)" '2 1' "${who}full: what fits is there"
	rm -f gmon.* stacks.*
	head -c 65536 /dev/zero >filler 2>/dev/null
	attached 'No space left on device' full
	small_end

	small 60
	# shellcheck disable=SC2016,SC2086 # an inner shell expands its own; words
	prlimit --fsize=1000:1000 $run -a -F 1000 sh -c '"$0" 50 | cat; exit 7' "$scratch/dir/known" 2>&1 >"$scratch/programs" | cat >"$scratch/err"
	is "$(accounted 'File too large \(see ulimit -H -f\)')" '' "${who}a limit on files' sizes: a line says so" || diag_file "$scratch/err"
	is "$(find . -name '.?*')" '' "${who}a limit on files' sizes: no part of a file is left"
	small_end

	mkdir -m 777 gone
	# shellcheck disable=SC2016,SC2086 # an inner shell expands its own; words
	$run -a -F 1000 sh -c 'cd gone && rmdir ../gone && "$0" 50; exit 7' "$scratch/dir/known" >"$scratch/programs" 2>"$scratch/err"
	is $? 7 "${who}a directory that is gone: the exit status is the program's"
	is "$(accounted 'No such file or directory \(try -d\)')" '' "${who}a directory that is gone: a line says so" || diag_file "$scratch/err"
}

# A limit that the profile's files keep is none for what is read of the programs' files.
limited_sizes() {
	cp ../sorts .
	# shellcheck disable=SC2086 # words
	prlimit --fsize=100000:100000 $run -q -a -g -F 1000 ./sorts 2>"$scratch/err"
	is $? 7 "${who}files of 100,000 bytes: the exit status is the program's" || diag_file "$scratch/err"
	# shellcheck disable=SC2046 # two numbers
	set -- $(perl "$top/tests/lib/stacks.pl" reached stacks.sorts.*)
	between "${1:-0}" $((${2:-1} * 9 / 10)) "${2:-0}" "${who}files of 100,000 bytes: stacks lead through the C library"
}

each_way few_descriptors
each_way limited_sizes
if [ "$(id -u)" -eq 0 ]; then
	each_way full_disk
else
	skip 'a small file system needs root'
fi
done_testing
