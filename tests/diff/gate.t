#!/bin/sh
# A gate passes runs whose calls are those of the baseline, to the last one, whatever the machine and the linker choose, and
# no others.
. "$(dirname "$0")/../lib/testlib.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

cp "$testdir/gated.c" one.c
cat >two.c <<'Y'
__attribute__((noipa)) static int helper(int x) { return x; }
int other_file(int x) { return helper(x) + helper(x); }
Y
# build NAME WORD...
build() {
	build_name=$1
	shift
	profsup-cc -O1 -g -w -o "$build_name" "$@" -lpthread 2>cc.err || bail "$(cat cc.err)"
}
# run FILE PROGRAM ARGUMENT...
run() {
	run_file=$1
	shift
	profsup -q -o "$run_file" "$@" || bail "$1 fails"
}
# gate ARGUMENT...: to `out`, and the status in $status
gate() {
	profsup-diff --gate base "$@" >out 2>err
	status=$?
}
build prog one.c two.c
run a ./prog 100 50
profsup-export --format=calls -o base a 2>err
is "$? $(cat err)" '0 ' 'a baseline is written'
# How often qsort calls back, and by which of its functions, is libc's choice.
compares=$(sed -n 's/^compare	\([0-9]*\)$/\1/p' base)
between "$compares" 99 9900 "it has libc's calls of a function"
tab='	'
sed "/^compare/s/$compares\$/N/" base >got
cat >want <<END
profsup-calls 1${tab}calls, exact: profsup-diff --gate compares runs with them
prog
compare${tab}N
compare${tab}by [uncounted]${tab}N
helper (one.c)${tab}10
helper (one.c)${tab}by main${tab}10
helper (two.c)${tab}20
helper (two.c)${tab}by other_file${tab}20
main${tab}1
main${tab}by [uncounted]${tab}1
other_file${tab}10
other_file${tab}by main${tab}10
others${tab}200
others${tab}by thread${tab}200
thread${tab}4
thread${tab}by [uncounted]${tab}4
version${tab}10
version${tab}by main${tab}10
work${tab}100
work${tab}by main${tab}100
END
cmp -s got want
ok $? 'with a line for each function and each arc, by name' || diag "$(diff want got)"

# Nothing that is not the program's makes a difference.
for run in b c; do
	run $run ./prog 100 50
done
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-AVX512F,-AVX512VL,-ERMS,-AVX_Fast_Unaligned_Load run d ./prog 100 50
for file in b c d; do
	gate $file
	is "$status $(head -n 1 out)" '0 prog: calls are those of base: 9 functions, 9 arcs' "run $file has them"
	profsup-export --format=calls $file 2>&1 | cmp - base >cmp.out 2>&1
	ok $? "and the same baseline, to the byte" || diag_file cmp.out
done
is "$(profsup-export --format=calls a b c d | cmp - base 2>&1)" '' 'so have four runs together'
mkdir links pie plain
build links/prog two.c one.c
build pie/prog -static-pie one.c two.c
build plain/prog -DPLAIN one.c two.c
for build in links pie plain; do
	run of-$build $build/prog 100 50
	gate $build/prog of-$build
	is "$status $(cat err)" '0 ' "a program that is linked or loaded otherwise has them ($build)" || diag_file out
done

# A change of one call is one.
run e ./prog 101 50
gate e
is "$status $(head -n 1 out)" '1 prog: calls are not those of base: 1 of 9 functions and 1 of 9 arcs differ' 'one call more is told'
is "$(sed -n '4,5s/  */ /gp' out)" ' 100 101 +1.0 % work
 100 101 +1.0 % main -> work' 'with the function, and its caller'
grep -q '^Only numbers of calls are compared: work inside of a function' out
ok $? 'and what a gate does not see'
gate --format=json e
is "$status $(jq -c '[.format, .version, .baseline, .program, .runs, .passes, .functions, .arcs, (.blind | length > 0)], .changes[]' out)" \
	'1 ["profsup-gate",1,"base","prog",[["e"]],false,9,9,true]
{"function":"work","caller":null,"before":{"low":100,"high":100},"now":{"low":101,"high":101},"allowed":{"low":100,"high":100},"state":"changed","passes":false}
{"function":"work","caller":"main","before":{"low":100,"high":100},"now":{"low":101,"high":101},"allowed":{"low":100,"high":100},"state":"changed","passes":false}' \
	'json: the same'
run f ./prog 0 50
gate --format=json f
is "$status $(jq -c '.changes[] | [.function, .caller, .now, .state]' out | tr '\n' ' ')" '1 ["work",null,null,"gone"] ["work","main",null,"gone"] ' 'a function that is not called any more is gone'
gate f
is "$(sed -n '4s/  */ /gp' out)" ' 100 - gone work' 'text: it is, too'
cp base kept
grep -v '^other' kept >base
gate a
is "$status $(sed -n '4,6s/  */ /gp' out)" '1  - 200 new others
 - 200 new thread -> others
 - 10 new other_file' 'and one that was not called is new, those with most calls first'
cp kept base

# Tolerances.
# allowed WANT ARGUMENT...: the status, and what the text says of what is allowed
allowed() {
	allowed_want=$1
	shift
	gate "$@" e
	is "$status $(grep -c '^2 more differ' out)" "$allowed_want" "tolerance: $*"
}
allowed '0 1' --allow 'wor*=+1%'
allowed '0 1' --allow 'wor*=1'
allowed '0 1' --allow 'work=any'
allowed '0 1' --allow 'other=1%' --allow '*=+1.5%'
allowed '1 0' --allow 'wor*=-1%'
allowed '1 0' --allow 'wor*=+0.9%'
allowed '1 0' --allow 'main=any'
is "$(cat err)" '' 'a tolerance that fits something is not spoken of'
allowed '0 1' --allow 'wrok=1' --allow 'main -> work=1' --allow 'work=1'
is "$(cat err)" 'profsup-diff: --allow: no function or arc is called wrok' 'and one that fits nothing is'
gate --allow '[uncounted] -> main=any' a
is "$status $(cat err)" '0 ' 'a name may have brackets'
gate --allow 'main -> w*=1' e
is "$status $(head -n 1 out)" '1 prog: calls are not those of base: 1 of 9 functions and 0 of 9 arcs differ' 'tolerance of an arc: not of its function'
gate -a --allow 'work=1' e
is "$status $(sed -n '5s/  */ /gp' out)" '0  100 101 +1.0 % work (allowed)' 'what is allowed is shown by -a'
gate --allow 'work=-100%' f
is "$status" 0 'a function may even go'

# What differs from run to run has a range, which chance may leave, and a change not.
for n in 1 2 3 4 5; do
	run r$n ./prog 100 $((100 + n))
done
profsup-export --format=calls -o base r1 r2 r3 r4 r5
is "$(grep -E '^(others|work)' base)" "others${tab}404..420 of 5 runs
others${tab}by thread${tab}404..420 of 5 runs
work${tab}100
work${tab}by main${tab}100" 'calls that differ from run to run are a range'
gate r3
is "$status $(head -n 1 out)" '0 prog: calls are those of base: 9 functions, 9 arcs' 'a run within it passes'
run r6 ./prog 100 106
gate r6
is "$status $(sed -n 2p out)" '0 2 more differ by what chance or --allow permits (--all lists them)' 'so does one beside it, as every third would be'
run r7 ./prog 100 200
gate r7
is "$status" 1 'one with twice the calls does not'
# Middle and half of the range of logarithms, ln 405 and ln 421; 5 runs and 2 ranges: Student's t of 4 degrees of freedom that
# 0.05/2 is beyond is 3.495; times sqrt(5/4) and sqrt(6/5).
want=$(awk 'BEGIN { m = (log(405) + log(421)) / 2; d = (log(421) - log(405)) / 2 * sqrt(5 / 4) * 3.4954 * sqrt(6 / 5)
	printf "%.1f %.1f", exp(m - d) - 1, exp(m + d) - 1 }')
gate --format=json r7
is "$(jq -r '.changes[0].allowed | "\(.low * 10 + 0.5 | floor / 10) \(.high * 10 + 0.5 | floor / 10)"' out)" "$want" "what is allowed is by Student's distribution"
gate --one-run r1 r2
is "$status $(grep -c ' 1 *2 *+100.0 %  main$' out)" '1 1' '--one-run adds files up'
mkdir dir
cp r1 dir/gmon.prog.1.out
cp r2 dir/gmon.prog.2.out
is "$(profsup-export -q --format=calls ./prog dir | sed -n '/^main/p')" "main${tab}2
main${tab}by [uncounted]${tab}2" 'as a directory of files is one run'
is "$(profsup-export --format=calls --one-run r1 r2)" "$(profsup-export -q --format=calls ./prog dir)" 'and so they are with --one-run'

# Acceptance.
cp base kept
gate --update r3
is "$status $(cmp base kept 2>&1)" '0 ' '--update with nothing new: the file stays as it is'
run g ./prog 7 106
gate --update g
is "$status $(head -n 1 out)" '0 prog: calls are not those of base: 1 of 9 functions and 1 of 9 arcs differ; now it has these' '--update passes'
is "$(diff kept base)" "$(printf '19,20c19,20\n< work\t100\n< work\tby main\t100\n---\n> work\t7\n> work\tby main\t7')" 'and changes what has changed, no range'
gate g
is "$status" 0 'then the gate passes, too'
rm base
gate --update g
is "$status $(cat out err)" '0 prog: calls of 9 functions and 9 arcs are in base now

'"$(tail -n 1 out)" '--update makes a baseline'
profsup-export --format=calls g | cmp - base >cmp.out 2>&1
ok $? 'the same as profsup-export' || diag_file cmp.out
cp kept base
gate --update r7
is "$status $(cat err)" '0 profsup-diff: base: 2 functions and arcs that had a range have one number now: several runs would tell a range' \
	'that a range is lost is said'

# Bencher's format, by its schema: objects of objects of numbers.
cp kept base
gate --format=bmf r1 r2
is "$status $(jq -c '[.["prog: work"], .["prog: others"], length]' out)" \
	'0 [{"calls":{"value":100}},{"calls":{"value":406,"lower_value":404,"upper_value":408}},9]' 'bmf: calls, and their range'
is "$(jq -c '[.[][] | keys - ["value", "lower_value", "upper_value"] | length] | add' out)" 0 'bmf: nothing else is in it'
gate --format=bmf r7
is $status 1 'bmf: the status is the same'

# The cost of a call.  50 calls are 20 ticks of 100 Hz: 4 ms a call; 1.96 of the root of twice 20.5 ticks, and of 5 percent of
# 0.2 s, are 127.0 ms.
"$testdir/made.pl" ./prog made 100 work=20 'main->work=50' 'main->others=7' others=9
profsup-export --format=calls -o base ./prog made
profsup-diff --gate base --cost --format=json ./prog made >out
is "$? $(jq -c '.costs[] | [.function, .self, (.self_per_call_ns + .5 | floor), (.error_ns / 1000 | floor)]' out)" '0 ["work",0.2,4000000,2540]' '--cost: self time of a call, and its error'
profsup-diff --gate base --cost --format=bmf ./prog made | jq -c '.["prog: work"], .["prog: others"]' >out
is "$(cat out)" '{"calls":{"value":50},"self-time-per-call":{"value":4000000,"lower_value":1459596.33,"upper_value":6540403.67}}
{"calls":{"value":7}}' 'bmf: that, too, where there are enough samples'
profsup-diff --gate base --cost ./prog made | sed -n '/self s/{n;s/  */ /gp}' >out
is "$(cat out)" ' 0.200 4.00ms 2.54ms work' 'text: that, too'
done_testing
