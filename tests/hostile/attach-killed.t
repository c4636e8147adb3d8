#!/bin/sh
# -p of a process with threads that is killed in that moment: the others that are attached to keep their profiles.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target work)" prog
cp prog other
./other busy 3600000 >/dev/null &
other=$!
# Killed as soon as it has a tracer: mostly between the reading of its state and its first stop.
cat >kill.pl <<'END'
my $pid = shift;
open my $looks, '>', 'looks';
for (;;) {
	open my $f, '<', "/proc/$pid/task/$pid/status" or last;
	last if grep /^TracerPid:\t[1-9]/, <$f>;
}
kill 9, $pid;
END
died=0 met=0
for try in $(seq 25); do
	./prog threads 60000 4 >/dev/null &
	pid=$!
	wait_until 60 sh -c "[ \$(ls /proc/$pid/task | wc -l) -ge 4 ]"
	rm -f looks
	perl kill.pl $pid &
	killer=$!
	wait_until 60 test -e looks
	profsup -q --duration=0.05 -p "$pid,$other" 2>err
	status=$?
	wait $killer
	wait $pid 2>/dev/null
	[ -n "$(find . -name "gmon.other.$other.out" -size +0)" ] || { died=$((died + 1)) && diag "try $try: $status $(cat err)"; }
	grep -q 'has ended or executed' err && met=$((met + 1))
	rm -f gmon.*
done
diag "$met of 25 were killed while they were attached to"
is $died 0 'the other one has its file each time'
kill $other
wait $other 2>/dev/null
done_testing
