#!/bin/sh
# -a: many programs that have much code mapped, and always move some of it, take no more than a part of our time together,
# and another program has its call stacks.
# check-all: shares of CPU time, as measured
. "$(dirname "$0")/../lib/hostile.sh"

cat >honest.c <<'EOS'
#include <time.h>
__attribute__((noinline)) void inner(void) { for (volatile int i = 0; i < 100000; i++) ; }
__attribute__((noinline)) void outer(void) { while (clock() < CLOCKS_PER_SEC / 2) inner(); }
int main(void) { outer(); return 0; }
EOS
gcc -O1 -o honest honest.c || bail 'no compiler'
gcc -O1 -D_GNU_SOURCE -o moves "$(source_of_target any-moves)" || bail 'no compiler'
chmod 755 honest moves

now() {
	date +%s%N
}

# cost MAPPINGS SECONDS: our CPU time for the mappings, of 1,000 parts of all time.
cost() {
	rm -f gmon.* stacks.*
	began=$(now)
	# shellcheck disable=SC2016 # an inner shell expands its own
	attack '-a --timeline -F 1000 --sampler=ptrace' sh -c './moves 30 "$1" "$2" & ./honest; wait' - "$@"
	time=$(($(now) - began))
	unharmed "$1 mappings"
	cpu=$(($(statistic cpu_ns "$scratch/stats") / 1000000))
	unseen=$(statistic unseen_ticks "$scratch/stats")
	readings=$((1000 * $(statistic mappings_cpu_ns "$scratch/stats") / time))
	diag "$who$1 mappings each: $((time / 1000000)) ms, of which $readings parts for the mappings; $cpu ms of CPU time and $unseen unseen, $(statistic stops "$scratch/stats") stops, own $own ms"
}

check() {
	cp ../moves ../honest .
	# Of the first one it matters that nobody is harmed; of the second, what it costs us, too.
	cost 1 2
	cost 4000 6
	between "$readings" 1 200 "${who}so many mappings are read in a fifth of all time at the most"
	perl "$top/tests/lib/stacks.pl" folded stacks.honest.* | awk '/(^|;)main;outer/ { n += $NF } { all += $NF } END { print 100 * n / all }' >share
	drawn stacks.honest.*
	likely "$(cat share)" 80 100 "$who$(cat share) % of the other program's samples have their callers"
}

each_way check
done_testing
