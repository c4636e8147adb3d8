#!/bin/sh
# Time that grows faster than the input, in a function whose calls do not: a text that is appended to in a loop.
# check-all: CPU time, as measured
. "$(dirname "$0")/../lib/testlib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

profsup-cc -O1 -g -o grown "$testdir/grown.c" 2>cc.err || bail "$(cat cc.err)"
for run in 1 2 3; do
	for n in 10000 20000 40000; do
		profsup -q -g -F 1000 -o t.$n.$run ./grown 1000 $n || bail 'the program fails'
	done
done
profsup-diff --growth --format=json n=10000 t.10000.? n=20000 t.20000.? n=40000 t.40000.? >out 2>err
is "$? $(cat err)" '0 ' 'three runs of three sizes' || diag_file err
profsup-diff -a --growth n=10000 t.10000.? n=20000 t.20000.? n=40000 t.40000.? >text
# of FUNCTION CALLER FILTER
of() {
	jq -r --arg f "$1" --argjson c "$2" ".rows[] | select(.function == \$f and .caller == \$c) | $3" out
}
# Its error is what may be wrong in one of twenty comparisons, of all functions together; so it may be off by twice that.
is "$(of append null '.time | (.exponent - 2 | if . < 0 then -. else . end) < 2 * .error')" true "append's time grows with n^2, within the error" || diag_file text
is "$(of append null '.time | .faster or .exponent - 1.04 <= .error')" true 'and it is said that it is faster than n, unless the error hides it' || diag_file text
is "$(of append null '[.calls.exponent, .calls.faster] | @csv')" '1,false' 'its calls do not'
is "$(of step null '.time | (.exponent - 1 | if . < 0 then -. else . end) < 2 * .error')" true "step's time grows with n" || diag_file text
is "$(of append '"main"' '.time.growth != null')" true 'with stacks the arc has time, too'
is "$(jq .measured out)" true 'which is measured'

# A program that was not linked for us, with libraries: it has no calls, and its time is in functions of both.
for n in 100000 200000 400000; do
	seq $n | sed 's/\(.*\)\(...\)$/\2\1/' >in.$n
	profsup -q -a -g -F 1000 -o s.$n sort -o sorted in.$n || bail 'sort fails'
done
profsup-diff --growth --format=json "$(command -v sort)" n=100000 s.100000 n=200000 s.200000 n=400000 s.400000 >out 2>err
is "$? $(cat err)" '0 ' 'a program without calls, and with libraries' || diag_file err
is "$(jq '[.rows[] | select(.caller == null and (.time.values | add) > 0) | .function | endswith("[libc.so.6]")] | any' out)" true "has time in libc's functions"
is "$(jq '[.rows[].calls | select(.growth != null)] | length' out)" 0 'and no calls'
done_testing
