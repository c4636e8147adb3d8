#!/bin/sh
# shellcheck disable=SC2086 # numbers and names
# Where CPU time went, for programs that know it themselves, by both samplers.
# shellcheck source=accuracy.sh
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
# ticks, run beside each other.
for sampler in ptrace perf; do
	outside=10
	[ $sampler = ptrace ] || outside=3
	accurate $sampler 100 $outside busy 1500
	accurate $sampler 1000 $outside busy 1200
	accurate $sampler 100 $outside tree 1500
	accurate $sampler 1000 $outside tree 1200
	accurate $sampler 4000 $outside busy 1000
	for hz in 100 1000; do
		start $sampler $hz $outside burst 3000
	done
	judged
	for every in 2 4 10; do
		start $sampler 500 $outside timer 2000 $every
	done
	judged
	accurate $sampler 500 $outside threads 1000 4
	accurate $sampler 500 $outside few 1200 62
	accurate $sampler 500 $outside syscalls 1200
	accurate $sampler 10000 $outside busy 500

	# Beside a rival for each CPU that is forty times as important.
	rivals=
	for _ in $(seq "$(nproc)"); do
		perl -e 'alarm 60; 1 while 1' &
		rivals="$rivals $!"
	done
	by='nice -n 19'
	accurate $sampler 1000 $outside busy 2000
	by=
	kill $rivals
	wait 2>/dev/null

	# Stopped half of the time.
	by="perl ../freeze.pl"
	accurate $sampler 1000 $outside busy 2000
	by=
done
# So much CPU time: there is a tick whatever else the machine does.
for case in '1 cpu 2500' '10 cpu 2000'; do
	start ptrace ${case%% *} 10 ${case#* }
	start perf ${case%% *} 3 ${case#* }
	judged
done
done_testing
