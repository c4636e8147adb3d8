#!/bin/sh
# On a virtual machine that gets no CPU (steal), perf's clock goes on while the processes' does not.  Here the supervisor
# believes that processes have used 60 % of what the kernel says: that much may be in the files, and where it was used is
# as before.
# shellcheck disable=SC2086 # words
# shellcheck source=../tap/testlib.sh
. "$(dirname "$0")/../tap/testlib.sh"

cp "$(target work)" work
cat >steal.c <<'EOC'
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int
clock_gettime(clockid_t clock, struct timespec *ts)
{
	long ret = syscall(SYS_clock_gettime, clock, ts);

	if (ret == 0 && clock < 0) {
		long long ns = (ts->tv_sec * 1000000000LL + ts->tv_nsec) / 10 * 6;

		ts->tv_sec = ns / 1000000000;
		ts->tv_nsec = ns % 1000000000;
	}
	return ret;
}
EOC
cc -shared -fPIC -o steal.so steal.c || bail "cc"

for words in "busy 1500" "threads 700 3"; do
	is "$(LD_PRELOAD="$PWD/steal.so" profsup -q --stats=stats --sampler=perf -F 1000 ./work $words \
		2>&1 >out)" '' "$words runs"
	read -r _ pid a b cpu _ <out
	file=gmon.work.$pid.out
	paid=$((cpu * 6 / 10000000))
	# A kernel's tick of each CPU that is busy may not have been booked yet.
	slack=$(($(nproc) * 10 + 15))
	between "$(ticks "$file")" $((paid - slack)) $((paid + slack)) "$words: no more than was paid for"
	want=$((100 * a / (a + b)))
	between "$(gprof -b -p ./work "$file" | awk '$NF == "A" { print $1 }')" $((want - 10)) $((want + 10)) \
		"$words: where it was as before"
	between "$(statistic stolen_samples stats)" $((paid * 5 / 10)) $((paid * 8 / 10)) "$words: the rest is told of"
	rm gmon.*
done
profsup -q --stats=stats --sampler=perf -F 1000 ./work busy 500 >/dev/null 2>&1
between "$(statistic stolen_samples stats)" 0 50 "few are taken for stolen where the kernel is believed"
done_testing
