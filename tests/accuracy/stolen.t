#!/bin/sh
# On a virtual machine that gets no CPU (steal), perf's clock goes on while the processes' does not.  Here the supervisor
# believes that processes have used 60 % of what the kernel says: that much may be in the files, and where it was used is
# as before.  To the other sampler a thread that is robbed looks as if it had slept, which must not keep it from sampling:
# here the supervisor's clock goes on faster than the thread's account.
# shellcheck disable=SC2086 # words
# check-all: shares and sums of CPU time, as measured
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target work)" work
# a_clock FILE.so WHICH EXPRESSION: a clock_gettime whose clocks that are WHICH say EXPRESSION instead of `ns`, which
# was `first` when one was first asked.
a_clock() {
	cat >clock.c <<EOC
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int
clock_gettime(clockid_t clock, struct timespec *ts)
{
	static long long first;
	long ret = syscall(SYS_clock_gettime, clock, ts);

	if (ret == 0 && ($2)) {
		long long ns = ts->tv_sec * 1000000000LL + ts->tv_nsec;

		first = first == 0 ? ns : first;
		ns = $3;
		ts->tv_sec = ns / 1000000000;
		ts->tv_nsec = ns % 1000000000;
	}
	return ret;
}
EOC
	cc -shared -fPIC -o "$1" clock.c || bail "cc"
}
a_clock account.so 'clock < 0' 'ns / 10 * 6'
a_clock faster.so 'clock == CLOCK_MONOTONIC' 'ns + (ns - first) / 4'

# What the machine itself has lost to others since it started, of all its CPUs, in ns.
machine_lost() {
	awk -v hz="$(getconf CLK_TCK)" '$1 == "cpu" { printf "%.0f", $9 * 1e9 / hz }' /proc/stat
}

for words in "busy 1500" "threads 1500 3"; do
	lost=$(machine_lost)
	is "$(LD_PRELOAD="$PWD/account.so" profsup -q --stats=stats --sampler=perf -F 1000 ./work $words \
		2>&1 >out)" '' "$words runs"
	read -r _ pid a b cpu _ <out
	lost=$(($(machine_lost) - lost))
	file=gmon.work.$pid.out
	paid=$((cpu * 6 / 10000000))
	# A kernel's tick of each CPU that is busy may not have been booked yet.
	slack=$(($(nproc) * 10 + 15))
	between "$(ticks "$file")" $((paid - slack)) $((paid + slack)) "$words: no more than was paid for"
	# perf's clock is 3 % longer than ours, and goes on while the machine is robbed indeed.
	samples=$(($(statistic samples stats) + $(statistic lost_samples stats))) stolen=$(statistic stolen_samples stats)
	if [ $slack -lt $((cpu / 1030000 - samples)) ]; then
		between $((samples + stolen)) $((cpu / 1030000 - slack)) $(((cpu + lost) / 1030000 + slack)) "$words: the rest is told of"
	else
		undecided "$words: the rest is told of" "$cpu ns of CPU time, $samples samples and $stolen stolen"
	fi
	rm gmon.*

	LD_PRELOAD="$PWD/account.so" profsup -q --timeline --sampler=perf -F 1000 ./work $words >out 2>&1
	read -r _ pid a b _ <out
	want=$((100 * a / (a + b)))
	drawn stacks.work.*
	likely "$(gprof -b -p ./work "gmon.work.$pid.out" | awk '$NF == "A" { print $1 }')" $((want - 5)) $((want + 5)) "$words: where it was as before"
	rm gmon.* stacks.*
done
profsup -q --stats=stats --sampler=perf -F 1000 ./work busy 500 >/dev/null 2>&1
between "$(statistic stolen_samples stats)" 0 $(($(statistic samples stats) / 10 + 15)) "few are taken for stolen where the kernel is believed"

# Who has to share its CPU besides, with another test, can't be told from one that waits.
for _ in $(seq 10); do
	LD_PRELOAD="$PWD/faster.so" profsup -q --stats=stats --sampler=ptrace -F 100 ./work busy 500 >/dev/null 2>&1
	[ "$(statistic samples stats)" -lt $(($(statistic ticks stats) * 6 / 10)) ] || break
done
what="who is robbed of its CPU is sampled all the same"
# The supervisor's clock is a quarter faster.
if [ "$(statistic cpu_ns stats)" -lt $(($(statistic watched_ns stats) * 6 / 10)) ]; then
	undecided "$what" "$(statistic samples stats) samples, $(statistic cpu_ns stats) ns of CPU time in $(statistic watched_ns stats)"
else
	between "$(statistic samples stats)" $(($(statistic ticks stats) * 6 / 10)) 999 "$what"
fi
done_testing
