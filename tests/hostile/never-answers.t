#!/bin/sh
# Memory that never answers (userfaultfd; FUSE would do): only its owner's profile is lost.
# san: threads
. "$(dirname "$0")/../lib/testlib.sh"
# shellcheck source=tests/lib/proclib.sh
. "$top/tests/lib/proclib.sh"
need_root

cp "$(target hostile-memory)" prog
mkfifo in
for sampler in ptrace perf; do
	: >out
	profsup --sampler=$sampler ./prog >out 2>err <in &
	run=$!
	exec 3>in
	wait_until 60 grep -q -e ready -e no out
	grep -q no out && {
		skip "$sampler: $(cat out)"
		exec 3>&-
		wait $run
		continue
	}
	child=$(ready_pid out)
	supervisor=$(supervisor_of "$child")
	wait_until 60 sh -c "[ \"\$(sed 's/.*) //' /proc/$child/stat | cut -d' ' -f12)\" -gt 60 ]"
	echo go >&3
	wait_until 60 grep -q forked out
	ok $? "$sampler: another process forks and ends meanwhile" || kill -KILL "$supervisor"
	exec 3>&-
	wait $run
	is $? 0 "$sampler: profsup ends as the target does"
	found=0
	for file in gmon.prog.*.out; do
		[ "$(calls prog "$file" work)" = 1000 ] && found=1
	done
	is $found 1 "$sampler: the other process has its profile"
	rm -f gmon.*
done
done_testing
