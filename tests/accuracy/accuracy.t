#!/bin/sh
# shellcheck disable=SC2034,SC2086 # accuracy.sh reads them; numbers and names
# Where CPU time went, for programs that know it themselves, by both samplers.
# check-all: shares and sums of CPU time, as measured
. "$(dirname "$0")/accuracy.sh"

# freeze.pl COMMAND...: runs it, stopped for 50 ms of each 100.
cat >freeze.pl <<'EOF'
my $pid = fork // die;
exec @ARGV or die if $pid == 0;
until (waitpid($pid, 1) > 0) {
	kill STOP => $pid;
	select undef, undef, undef, 0.05;
	kill CONT => $pid;
	select undef, undef, undef, 0.05;
}
exit($? >> 8);
EOF

# Each has enough ticks, or stops, for its shares to say something.  Those that mostly sleep, or need long for a few
# ticks, run beside each other.  What is the same at another rate is left to tests/soak/long.t.
# Bursts and system calls ask for the time often.  On a busy machine, as when another test runs beside this one, that is
# where a thread loses the CPU, and waits, and is stopped.
for sampler in ptrace perf; do
	outside=10 often=$(rounds 25 10) burst=1000
	[ $sampler = ptrace ] || outside=3 often=6 burst=100
	accurate $sampler 100 $outside busy 1500
	for hz in $(rounds "" "1000 4000"); do
		accurate $sampler "$hz" $outside busy 1200
	done
	for hz in $(rounds "1000" "100 1000"); do
		accurate $sampler "$hz" $outside tree 1000
	done
	for hz in $(rounds "$burst" "100 1000"); do
		start $sampler "$hz" $often burst 3000
	done
	start $sampler 100 $often beat 2000
	for every in $(rounds "2 5" "2 4 5 10"); do
		start $sampler 500 $outside timer 4000 "$every"
	done
	judged
	accurate $sampler 500 $outside threads "$(rounds 500 800)" 4
	accurate $sampler 500 $outside few "$(rounds 500 800)" 62
	accurate $sampler 500 $often syscalls 1200
	accurate $sampler 10000 $outside busy 500
done

# Stopped half of the time.
by="perl ../freeze.pl"
start ptrace 1000 10 busy 1600
start perf 1000 3 busy 1600
by=
judged

# Beside a rival for each CPU that is forty times as important.
rivals=
for _ in $(seq "$(nproc)"); do
	perl -e 'alarm 60; 1 while 1' &
	rivals="$rivals $!"
done
by='nice -n 19'
start ptrace 1000 10 busy "$(rounds 1400 2000)"
start perf 1000 3 busy "$(rounds 1400 2000)"
by=
judged
kill $rivals
wait 2>/dev/null

# So much CPU time: there is a tick whatever else the machine does.
for hz in $(rounds "10" "1 10"); do
	start ptrace "$hz" 10 cpu "$(rounds 1200 2500)"
done
for hz in $(rounds "1" "1 10"); do
	start perf "$hz" 3 cpu 2500
done
judged
done_testing
