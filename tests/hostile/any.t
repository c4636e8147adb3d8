#!/bin/sh
# -a: programs that were not linked for us notice nothing, alone or beside one that maps 4000 files with bad names as code
# and executes code that moves; then the other's shares are right.
# san: no room
# check-all: shares of CPU time, as measured
. "$(dirname "$0")/../lib/hostile.sh"

cat >shares.c <<'EOS'
#include <time.h>
__attribute__((noinline)) static void spin(void) { for (volatile int i = 0; i < 20000; i++) ; }
__attribute__((noinline)) void most(void) { spin(); spin(); spin(); __asm__(""); }
__attribute__((noinline)) void least(void) { spin(); __asm__(""); }
int main(void) { while (clock() < CLOCKS_PER_SEC) { most(); least(); } return 0; }
EOS
for name in any-maps selfcheck die; do
	gcc -O1 -g -w -D_GNU_SOURCE -pthread -o "$name" "$(source_of_target "$name")" || bail 'no compiler'
done
gcc -O1 -fno-optimize-sibling-calls -o shares shares.c || bail 'no compiler'
chmod 755 any-maps selfcheck die shares

many_maps() {
	cp ../any-maps .
	attack '-a -g' ./any-maps 4000 1
	unharmed '4000 mapped files'
	is "$(find . -name 'gmon.any-maps.*.out' -uid "$uid" | wc -l)" 1 "${who}it has a profile of its own, which is its user's"
}

# as_it_is COMMAND...: without profsup, as the same user.
as_it_is() {
	if [ "$(id -u)" -eq 0 ]; then
		setpriv --reuid "$uid" --regid "$uid" --clear-groups "$@"
	else
		"$@"
	fi
}

# comparable: without what is another each time: where the interpreter is.
comparable() {
	grep -v '^auxv 7:'
}

# same WHAT COMMAND...: what a program can see of the state that the command execs it in.
same() {
	what=$1
	shift
	rm -f seen alone gmon.*
	: >in
	: >"$scratch/stats"
	chmod 666 "$scratch/stats"
	as_it_is "$@" ./selfcheck seen <in >"$scratch/out" 2>&1
	is "$?$(cat "$scratch/out")" 0 "$who$what: runs alone"
	comparable <seen >alone
	# shellcheck disable=SC2086 # words
	$run -q -a -F 1000 --stats="$scratch/stats" "$@" ./selfcheck seen <in >"$scratch/out" 2>&1
	is "$?$(cat "$scratch/out")" 0 "$who$what: and with -a"
	comparable <seen | diff alone - >"$scratch/differs" 2>&1
	ok $? "$who$what: it sees no difference" || diag_file "$scratch/differs"
	between "$(statistic samples_only_processes "$scratch/stats")" 1 9 "$who$what: it was profiled"
}

# dies WHAT ARGUMENT...
dies() {
	alone=$(how_it_ended prlimit --core=0 ./die "$@" 2>/dev/null)
	# shellcheck disable=SC2086 # words
	is "$(how_it_ended $run -q -a -F 1000 prlimit --core=0 ./die "$@" 2>"$scratch/err")" "$alone" "$who$1: ends as alone ($alone)"
	is "$(said "$scratch/err")" '' "$who$1: nothing is said"
}

unnoticed() {
	cp ../any-maps ../selfcheck ../die .
	same 'nothing odd' env
	same 'signals ignored and blocked' env --ignore-signal=PIPE,TRAP,SYS --block-signal=CHLD,TERM,USR1,TRAP,PROF
	same 'limits, a mask, an order' prlimit --nofile=16 --stack=1000000 --cpu=1000 --core=5 nice -n 7 sh -c 'umask 027; exec "$@"' -
	same 'descriptors' sh -c 'exec 5<in 9<in >&-; exec "$@"' -
	same 'a child that attacks' sh -c './any-maps 300 0.4 >/dev/null & exec "$@"' -
	for how in exit _exit return abort segv seccomp-process thread-segv thread-exit; do
		dies "$how" 10 3
	done
}

# The program of which two functions take 3 and 1 parts of the time.
shares() {
	cp ../any-maps ../shares .
	for sampler in ptrace perf; do
		# shellcheck disable=SC2086 # words
		$run -q --sampler=$sampler true 2>/dev/null || continue # a plain user may not use perf
		tried="$tried $sampler"
		rm -f gmon.* stacks.*
		attack "-a --timeline -F 1000 --sampler=$sampler" sh -c './any-maps 2000 2 & ./any-maps 10 2 & ./shares; wait'
		unharmed "$sampler"
		perl "$top/tests/lib/stacks.pl" folded stacks.shares.* | awk '
			/;most(;| )/ { most += $NF }
			/;least(;| )/ { least += $NF }
			{ all += $NF }
			END {
				n = most + least
				print all ? 100 * n / all : "none", n ? 100 * most / n : "none"
			}' >"$scratch/found"
		drawn stacks.shares.*
		likely "$(cut -d ' ' -f 1 "$scratch/found")" 80 100 "$who$sampler: most of the time is in its functions, with their callers"
		likely "$(cut -d ' ' -f 2 "$scratch/found")" 73 77 "$who$sampler: and each has its share"
	done
}

each_way many_maps
each_way unnoticed
tried=
each_way shares
case $tried in
*perf*) ;;
*) skip 'perf is not permitted' ;;
esac
done_testing
