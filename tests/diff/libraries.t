#!/bin/sh
# Runs of one side may have used different functions of libraries.
. "$(dirname "$0")/../lib/testlib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

for n in one two; do
	echo "void burn_in_$n(unsigned long n) { static volatile unsigned long sink; while (n-- > 0) sink += n; }" >$n.c
	gcc -O1 -shared -fPIC -o lib$n.so $n.c || bail 'no library'
done
cat >uses.c <<'X'
void burn_in_one(unsigned long n);
void burn_in_two(unsigned long n);
int main(int argc, char **argv) { (void)argv; (argc > 1 ? burn_in_one : burn_in_two)(100000000); return 0; }
X
gcc -O1 -o uses uses.c -L. -lone -ltwo -Wl,-rpath,"$PWD" || bail 'no program'
profsup -q -a -g -F 1000 -o 1 ./uses first || bail 'it fails'
for run in 2 3; do
	profsup -q -a -g -F 1000 -o $run ./uses || bail 'it fails'
done

# seconds FUNCTION FILTER
seconds() {
	jq -r --arg f "$1" ".functions[] | select(.name == \$f) | $2" out
}

profsup-diff --format=json ./uses 1 2 -- ./uses 3 >out 2>err
is "$? $(cat err)" '0 ' 'they are compared'
is "$(seconds 'burn_in_one [libone.so]' '[.in, .self.after] | @csv')" '"both",0' 'what only one run has used may be there in the others'
is "$(seconds 'burn_in_two [libtwo.so]' .in)" both 'and what both sides have used is the same'
profsup-diff -a ./uses 1 -- ./uses 3 >text
is "$(grep -q '  burn_in_one \[libone.so\]$' text; echo $?) $(grep -cE '^only|new: burn|gone: burn|inlined: burn' text)" '0 0' 'text: none of them is new or gone' || diag_file text
between "$(seconds 'burn_in_two [libtwo.so]' '2 * .self.before')" 0.001 "$(jq '2 * .total.before' out)" 'with the time of the run that has it'

# Where a program's code begins at the address 0, that is no place of a library's.
cat >zero.c <<'X'
#include <time.h>
void burn_in_one(unsigned long n);
int main(void) { struct timespec t; burn_in_one(100000000); for (int i = 0; i < 4000000; i++) clock_gettime(CLOCK_MONOTONIC, &t); return 0; }
X
gcc -O1 -pie -fPIE -Wl,-z,noseparate-code -o zero zero.c -L. -lone -Wl,-rpath,"$PWD" || bail 'no program'
profsup -q -a -g -F 1000 -o 4 ./zero || bail 'it fails'
profsup-export --format=folded ./zero 4 >folded 2>err
is "$? $(grep -c 'different runs' err)" '0 0' 'code at the address 0: the stacks are of the run'
profsup-export --format=perf -o perf.data ./zero 4 2>err
is "$(sed -n 's/.*they have \([0-9]*\) of .*/\1/p' err)" "$(awk '/ \[vdso\] [0-9]+$/ { n += $NF } END { print n }' folded)" \
	'and what has no address has not that of the code'
done_testing
