#!/bin/sh
# What grows faster than the input is named by its calls, at sizes at which it costs nothing yet; what does not is not.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/tools.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

profsup-cc -O1 -g -o grown "$testdir/grown.c" 2>cc.err || bail "$(cat cc.err)"
for n in 100 200 400; do
	profsup -q -o g.$n ./grown $n || bail 'the program fails'
done
# growth ARGUMENT...: to `out`
growth() {
	profsup-diff --growth "$@" >out 2>err
	is "$? $(cat err)" '0 ' "growth: $*"
}
growth n=100 g.100 n=200 g.200 n=400 g.400
before=$(profsup-export --format=calls g.400 | sed -n 's/^before	\([0-9]*\)$/\1/p')
is "$(sed 's/  */ /g' out)" "grown at n=100, 200, 400, 3 runs: 2 functions grow faster than n log n, and 1 function grows as n log n

calls that grow faster than n:
 n=100 n=400 growth n=4000 function, or arc
 4950 79800 n^2.00 +- 0.00 8.05e+06 (7.98e+06..8.11e+06) look
 4950 79800 n^2.00 +- 0.00 8.05e+06 (7.98e+06..8.11e+06) swapped
$(profsup-export --format=calls g.100 | sed -n 's/^before	\([0-9]*\)$/ \1/p') $before n log n 4.2e+04 before" \
	'a bubble sort and a table whose hash is constant are quadratic, and a merge sort is n log n' || diag_file out
between "$(awk -v calls="$before" 'BEGIN { print 42000 / (calls * 10 * log(4000) / log(400)) }')" 0.99 1.01 'n log n goes on as that'

growth --format=json n=100 g.100 n=200 g.200 n=400 g.400
is "$(jq -c '[.format, .version, .program, .measured, [.sizes[] | [.n, .runs]]]' out)" \
	'["profsup-growth",1,"./grown",false,[[100,[["g.100"]]],[200,[["g.200"]]],[400,[["g.400"]]]]]' 'json: what it is of'
# of FUNCTION: its calls
of() {
	jq -c --arg f "$1" '.rows[] | select(.function == $f and .caller == null).calls |
		[.growth, (.exponent * 1000 | round), (.error * 1000 | round), .faster, .ahead.n]' out
}
is "$(of swapped)" '["n^k",2004,4,true,4000]' 'a bubble sort: by the exponent of the last two sizes, and what that differs by'
is "$(of look)" '["n^k",2004,4,true,4000]' 'a constant hash'
is "$(of before | jq -c 'del(.[1, 2])')" '["n log n",true,4000]' 'a merge sort'
is "$(of insert)" '["n^k",1000,0,false,4000]' 'what is called n times'
is "$(of setup)" '["n^k",0,0,false,4000]' 'and once'
is "$(of merge_sort | jq -c '.[3]')" false 'and 2 n - 1 times'
is "$(jq -c '.rows[] | select(.function == "swapped" and .caller == "bubble_sort").calls | [.values, .faster]' out)" '[[4950,19900,79800],true]' 'arcs are there, too'
is "$(jq -c '[.rows[] | select(.function == "look").calls.ahead | (.value / 7998000 * 100 | round), .low < 7998000, .high > 7998000]' out)" \
	'[101,true,true,101,true,true]' 'what it would be at ten times the size holds what it is there'
growth n=100 g.100 n=400 g.400
is "$(sed -n '2p;6s/  */ /gp' out)" 'two sizes tell no error of the growth of calls: give three
 4950 79800 n^2.01 8.08e+06 look' 'with two sizes the error is not known, and that is said'
growth -a n=100 g.100 n=200 g.200 n=400 g.400
is "$(grep -c '  main -> setup$' out) $(grep -c '  setup$' out)" '1 1' '-a shows all'

# Numbers that are made: FUNCTION=CALLS of three sizes, 1000, 2000 and 4000.
cat >code.c <<'Y'
__attribute__((noipa, aligned(64))) void f(void) { __asm__ volatile("nop"); }
__attribute__((noipa, aligned(64))) void g(void) { __asm__ volatile("nop"); }
__attribute__((noipa, aligned(64))) void _start(void) { f(); g(); }
Y
gcc -O1 -g -nostdlib -static -o code code.c 2>cc.err || bail "$(cat cc.err)"
# calls GOT THREE NUMBERS: growth, exponent and error in thousandths, and whether it is faster
calls() {
	calls_want=$1
	shift
	for calls_size in 1 2 4; do
		"$testdir/made.pl" ./code c.$calls_size 100 "_start->f=$1"
		shift
	done
	profsup-diff --format=json --growth ./code n=1000 c.1 n=2000 c.2 n=4000 c.4 >out
	is "$(jq -r '.rows[0].calls | "\(.growth) \(.exponent * 1000 | round) \(.error * 1000 | round) \(.faster)"' out)" "$calls_want" "calls: $calls_want"
}
calls 'n^k 1000 0 false' 5000 10000 20000
calls 'n^k 2000 0 true' 1000 4000 16000
calls 'n^k 1500 0 true' 1000 2828 8000
calls 'n^k -1000 0 false' 4000 2000 1000
calls 'n^k 0 0 false' 7 7 7
# 1000 n + n^2: 1.415, then 1.585.
calls 'n^k 1737 152 true' 2000 6000 20000
# n - 600: 1.807 and 1.280, and a straight line all the same.
calls 'n^k 1280 527 false' 400 1400 3400
# 2, and then 1.
calls 'n^k 1000 1000 false' 1000 4000 8000
# n log2 n, and less n.
calls 'n log n 1126 12 true' 9966 21932 47863
calls 'n log n 1138 15 true' 8966 19932 43863
is "$(profsup-diff --growth ./code n=1000 c.1 n=2000 c.2 n=4000 c.4 | head -n 1)" 'code at n=1000, 2000, 4000, 3 runs: 1 function grows as n log n' \
	'text: what grows is counted, and not what does not'

# 1000 n + n^2 / 10 is 1.126 and then 1.222, as n log n is on the average; but n log n's exponents fall.
calls 'n^k 1222 97 true' 1100000 2400000 5600000
# The same up to eight times the first size, which comes to 1.363.  With a step of 1.4 behind two of n log n the exponents do not
# only rise, and the line through all four is near n log n.
# last GOT FOUR NUMBERS: growth and exponent in thousandths, of sizes from 100 on
last() {
	last_want=$1
	shift
	for last_size in 1 2 4 8; do
		"$testdir/made.pl" ./code l.$last_size 100 "_start->f=$1"
		shift
	done
	profsup-diff --format=json --growth ./code n=100 l.1 n=200 l.2 n=400 l.4 n=800 l.8 >out
	is "$(jq -r '.rows[0].calls | "\(.growth) \(.exponent * 1000 | round)"' out)" "$last_want" "calls of four sizes: $last_want"
}
last 'n^k 1363' 1100 2400 5600 14400
last 'n^k 1251' 66439 152877 345754 912000
last 'n log n 1158' 66439 152877 345754 771508

# Sizes that are near each other.
for n in 1000 1050 1100; do
	"$testdir/made.pl" ./code near.$n 100 "_start->f=$((n * n))" "_start->g=$((n - 600))"
done
profsup-diff --format=json --growth ./code n=1000 near.1000 n=1050 near.1050 n=1100 near.1100 >out
is "$(jq -c '.rows[] | select(.caller == null and .function != "_start").calls | [(.exponent * 1000 | round), .faster]' out | tr '\n' ' ')" \
	'[2000,true] [2265,false] ' 'near each other they tell a square, and a straight line of any slope'

# Of one run at each size, calls that only differ by the run tell nothing.
for run in 1 2 3; do
	for size in 1 2 4; do
		"$testdir/made.pl" ./code v.$size.$run 100 "_start->f=$((size * size * 100 + 40 * size * size * (run - 2)))"
	done
done
profsup-diff --format=json --growth ./code n=1000 v.1.? n=2000 v.2.? n=4000 v.4.? >out
# 60, 100 and 140 of 100 each: a variance of 0.16 of one run, and a third of it of three; 6 degrees of freedom: 2.447 times
# the root of 0.16 / 3 / (2 ln(2)^2).
is "$(jq -c '.rows[0].calls | [(.exponent * 1000 | round), (.error * 1000 | round), .faster]' out)" '[2000,576,true]' 'calls that differ from run to run: by how runs differ'

# Time.  15,000, 30,000 and 60,000 ticks in one run each, which vary by 5 percent: 1.96 times the root of 0.0025 / (2 ln(2)^2) is
# 0.100, and the ticks make it a little more.
# sampled GOT WORD...: of f, with these words on each of three files
sampled() {
	sampled_want=$1
	shift
	profsup-diff --format=json --growth "$@" >out
	is "$(jq -c '.rows[] | select(.function == "f" and .caller == null).time | [.growth, (.exponent * 100 | round), (.error * 100 | round), .faster]' out)" \
		"$sampled_want" "time: $sampled_want"
}
for size in 1 2 4; do
	"$testdir/made.pl" ./code t.$size 1000 f=$((15000 * size))
	"$testdir/made.pl" ./code q.$size 1000 f=$((4000 * size * size)) g=$((15000 * size))
	for run in 9 11; do
		"$testdir/made.pl" ./code r.$size.$run 1000 f=$((1400 * size * run))
	done
	"$testdir/made.pl" ./code few.$size 1000 f=$((2 * size * size))
done
sampled '["n^k",100,10,false]' ./code n=1000 t.1 n=2000 t.2 n=4000 t.4
sampled '["n^k",100,2,false]' --noise=0 ./code n=1000 t.1 n=2000 t.2 n=4000 t.4
# Two functions are judged: 2.24 deviations.
sampled '["n^k",200,12,true]' ./code n=1000 q.1 n=2000 q.2 n=4000 q.4
is "$(profsup-diff --growth ./code n=1000 q.1 n=2000 q.2 n=4000 q.4 | sed 's/  */ /g')" 'code at n=1000, 2000, 4000, 3 runs: 1 function grows faster than n log n

seconds that grow faster than n, of functions themselves:
 n=1000 n=4000 growth n=40000 function, or arc
 4.000 64.000 n^2.00 +- 0.12 6.4e+03 (4.85e+03..8.44e+03) f' 'text: time that grows faster, of one of two functions'
# 90 and 110 percent: a variance of 0.02, half of it of the mean of two; three degrees of freedom: 3.182 times its root.
sampled '["n^k",100,32,false]' ./code n=1000 r.1.* n=2000 r.2.* n=4000 r.4.*
is "$(profsup-diff --format=json --growth ./code n=1000 few.1 n=2000 few.2 n=4000 few.4 | jq -c '.rows[] | select(.function == "f").time.growth')" null \
	'time: one size with more than ten ticks tells nothing'

# Wrong command lines and runs: one line each.
tool=profsup-diff
misused 'no n=NUMBER before the runs' --growth
misused 'no n=NUMBER before the runs' --growth ./code
misused 'no n=NUMBER before the runs' --growth ./code c.1 n=2 c.2
misused 'no gmon file behind n=1000' --growth ./code n=1000
misused 'no gmon file behind n=1000' --growth ./code n=1000 n=2000 c.2
misused 'one n: how something grows needs two, and three to tell it well' --growth ./code n=1000 c.1 c.2
misused 'n=2000 comes behind n=2000: n has to grow, by a percent at least' --growth ./code n=2000 c.1 n=2000 c.2
misused 'n=2001 comes behind n=2000: n has to grow, by a percent at least' --growth ./code n=2000 c.1 n=2001 c.2
misused 'n=1000 comes behind n=2000: n has to grow, by a percent at least' --growth ./code n=2000 c.1 n=1000 c.2
for n in '' x 1 0 -5 inf nan 5k 1.1e15 1e308; do
	misused "n=$n: it must be a number above 1, and 10^15 at most" --growth ./code n=$n c.1 n=2000 c.2
done
misused '--format=markdown: it is for --gate' --format=markdown --growth ./code n=1000 c.1 n=2000 c.2
misused '--gate and --growth: one of them' --gate=x --growth ./code n=1000 c.1 n=2000 c.2
profsup-diff --growth ./code n=1000 c.1 n=2000 none 2>err
is "$? $(cat err)" '1 profsup-diff: none: No such file or directory' 'a run that is not there'
profsup-cc -O2 -g -o other "$testdir/grown.c" 2>cc.err || bail "$(cat cc.err)"
profsup -q -o g.800 ./other 800 || bail 'the program fails'
profsup-diff --growth ./grown n=100 g.100 n=800 g.800 >out 2>err
is "$? $(wc -l <err) $(grep -c 'g.800.*\(build\|ran\)\|not the program that ran.*g.800' err)" '1 1 1' 'a run of another build' || diag_file err
done_testing
