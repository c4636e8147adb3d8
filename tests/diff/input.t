#!/bin/sh
# What is wrong with the command line or the files is said in one line that names the file.  A directory is a run.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/tools.sh"

command -v jq >/dev/null || skip_all 'jq is not installed'

cat >code.c <<'Y'
__attribute__((noipa, aligned(64))) void callee(void) { __asm__ volatile("nop"); }
__attribute__((noipa, aligned(64))) void other(void) { __asm__ volatile("nop"); }
__attribute__((noipa, aligned(64))) void _start(void) { callee(); other(); }
Y
gcc -O1 -g -nostdlib -static -o code code.c 2>cc.err || bail "$(cat cc.err)"
# made FILE WORD...
made() {
	made_file=$1
	shift
	"$testdir/made.pl" ./code "$made_file" 100 "$@"
}
made a callee=100 '_start->callee=10'
made b callee=200 '_start->callee=20'

tool=profsup-diff
refused() {
	told 1 "$@"
}

misused 'no gmon file'
how='no "--" between the runs before and those after: profsup-diff OLD ... -- NEW ...'
misused "$how" a
misused "$how" code a code b
misused 'no "--" between before and after: profsup-diff a -- b' a b
misused 'no gmon file behind "--"' code a --
misused 'no gmon file of code' code a -- code
misused 'no gmon file of code' code -- code b
misused '--format=gif: no such format' --format=gif code a -- code b
misused '--noise=much: must be a number of percent' --noise=much code a -- code b
misused '--noise=-1: must be a number of percent' --noise=-1 code a -- code b
misused '--noise=nan: must be a number of percent' --noise=nan code a -- code b
misused '--fail-over=: must be a number of percent' --fail-over= code a -- code b
misused 'unknown option -x' -x
misused '--calls takes no argument' --calls=1
# As other commands take them; here they would be files.
misused '-q: options come before the program and the files' code a -q -- code b
misused '--format=json: options come before the program and the files' a -- b --format=json
misused '--allow=f=any: options come before the program and the files' --gate=base code a --allow=f=any
misused '-a: options come before the program and the files' --growth code n=2 a n=4 b -a
refused 'none: No such file or directory' code none -- code b
refused 'none: No such file or directory' code a -- none b
refused 'none: No such file or directory' code a -- code b none
refused 'code: no gmon file of GNU'\''s format' code a -- code code
echo text >text
refused 'text: no program: not an ELF file' text a -- code b
mkdir empty run run/deep
refused 'empty: there is no gmon file in it' code empty -- code b
"$testdir/made.pl" ./code fast 1000 callee=1000
refused './code: runs of 100 and of 1000 ticks a second can'\''t be compared as one side' ./code a fast -- ./code b
echo old >kept
refused 'none: No such file or directory' -o kept code a -- code none
is "$(cat kept)" old 'bad input leaves an old output as it was'
ln -s b link
for output in a b link code; do
	profsup-diff -q -o $output code a -- code b >out 2>err
	is "$? $(cat out err)" "1 profsup-diff: -o $output: it is an input" "nor is $output, an input, written over"
done
profsup-diff --format=json code a link a b -- code b 2>err | jq -c '[.before.runs, .after.runs | length]' >counted
is "$(cat counted err)" '[2,1]
profsup-diff: 2 files, such as a, are left out: they are the same as others' 'a run that is named twice is one'
profsup-diff -q -o b --growth code n=10 a n=20 b >out 2>err
is "$? $(cat out err)" '1 profsup-diff: -o b: it is an input' 'nor by --growth'
refused '/dev/full: No space left on device' -o /dev/full code a -- code b
for option in -h --help; do
	profsup-diff $option | grep -q '^usage: profsup-diff'
	ok $? "$option"
done
for option in -V --version; do
	is "$(profsup-diff $option | cut -d ' ' -f 1)" profsup-diff "$option"
done

# seconds FILTER ARGUMENT...: of the JSON
seconds() {
	seconds_filter=$1
	shift
	profsup-diff --format=json "$@" | jq -c "$seconds_filter"
}
total='[.total.before, .total.after, .functions[0].calls.before, .functions[0].calls.after]'
is "$(seconds "$total" code a -- code b)" '[1,2,10,20]' 'a file on each side'
is "$(seconds "$total" -q -- code a -- code b)" '[1,2,10,20]' 'the options may end with --'
refused 'a: it does not say which build of its program it is of: name the program before the files' a -- code b
is "$(seconds "$total" code a -- code fast)" '[1,1,10,0]' 'both sides may have different rates'
is "$(seconds "$total" code a b -- code b)" '[1.5,2,15,20]' 'several files are several runs'
is "$(seconds "$total" --one-run code a b -- code b)" '[3,2,30,20]' 'or the processes of one'
cp a run/gmon.x.1.out
cp b run/gmon.x.2.out
cp b run/gmon.x.2.snap1.out
cp a run/other
echo text >run/notes
cp b run/deep
is "$(seconds "$total" code run -- code b)" '[4,2,40,20]' 'a directory is a run of all its gmon files, but for snapshots'
cp b last.snap1
cp b last.snap2
is "$(seconds '[.before.runs, .after.runs]' code last.snap1 last.snap2 a -- code b 2>err) $(cat err)" \
	'[[["last.snap2"],["a"]],[["b"]]] profsup-diff: last.snap1 is left out: a later file of the same process has what is in it (if profsup had --intervals it has not: give --intervals here, too)' \
	'a snapshot of a file that is there, too, is no run'
is "$(seconds .before.runs --intervals code last.snap1 last.snap2 -- code b)" '[["last.snap1"],["last.snap2"]]' 'but with --intervals it is'
# of_run N FILE: it says that it is of the run of profsup that began then.
of_run() {
	perl -e 'open my $f, "+<", $ARGV[1] or die "$!\n"; seek $f, 53, 0; print $f chr $ARGV[0]' "$1" "$2"
}
mkdir -p parts killed
cp a parts/gmon.x.1.snap1.out
cp b parts/gmon.x.1.snap2.out
cp a parts/gmon.x.1.out
is "$(seconds "$total" --intervals code parts -- code b 2>err)" '[4,2,40,20]' 'with --intervals those of a directory count, too'
cp a killed/gmon.x.1.snap1.out
cp b killed/gmon.x.1.snap2.out
is "$(seconds '.before.runs' code killed -- code b 2>err)" '[["killed/gmon.x.1.snap2.out"]]' 'where there is no last file, the last snapshot counts'
cp a again
cp b again.snap1
cp b again.snap2
of_run 1 again
of_run 2 again.snap1
of_run 2 again.snap2
is "$(seconds '.before.runs' code again again.snap1 again.snap2 -- code b 2>err)" '[["again"],["again.snap2"]]' \
	'a snapshot of another run is no part of an older file of that name'
is "$(seconds '.before.runs' code run a -- code b)" '[["run/gmon.x.1.out","run/gmon.x.2.out","run/other"],["a"]]' 'their names are there'
is "$(seconds .noise_percent code a -- code b)" 5 'with one run each some noise is assumed'
is "$(seconds .noise_percent --noise=1.5 code a -- code b) $(seconds .noise_percent code a -- code a b)" '1.5 null' 'as is said, and with several none'

# The figures of a text book.  One run each, at 100 Hz: 2 * (100.5 + 200.5) ticks, and 5 % of 1 s and of 2 s, make a variance
# of 0.0727 s^2; 1.96 of its roots are 0.528 s, and 1 s is 3.71 of them.
rounded='[.functions[0].self | .change, .error, .p] | map(. * 100000 + 0.5 | floor)'
is "$(seconds "$rounded" code a -- code b)" '[100000,52846,21]' 'one run each: error and probability'
# Two runs each: 1 s and 1.2 s, 2 s and 2.3 s; a variance of (0.02 + 0.045) / 2 of each run; with two degrees of freedom
# 4.30 of its roots have 95 %, and 1.05 s, which are 5.82, have 1 - t / sqrt(2 + t^2).
made a2 callee=120 '_start->callee=10'
made b2 callee=230 '_start->callee=20'
is "$(seconds "$rounded" code a a2 -- code b b2)" '[105000,77567,2824]' 'two runs each: error and probability'
# Three degrees of freedom: 1 s, 1.2 s and 1.1 s have 0.02 s^2, and 2 s and 2.3 s 0.045: 0.065 / 3 * (1 / 3 + 1 / 2); 3.18.
made a3 callee=110 '_start->callee=10'
is "$(seconds "$rounded | .[:2]" code a a2 a3 -- code b b2)" '[105000,42763]' 'three runs and two: the error'

# 1 s more, and 0.528 s of error: surely 47 % of 1 s more.
for limit in 47 48; do
	profsup-diff --fail-over=$limit code a -- code b >out 2>err
	echo "$? $(cat err)"
done >said
is "$(cat said)" "3 profsup-diff: CPU time has grown by 1.000 s +- 0.528 s a run, more than 47 % of 1.000 s
0 " '--fail-over: status 3 and a line if even the least growth is too much'
profsup-diff code a -- code b >alone
is "$(cmp out alone 2>&1)" '' 'the difference is written all the same'
profsup-diff -q --fail-over=0 code a -- code b >out 2>err
is "$? $(cat err)" '3 ' '-q: the status alone tells'
profsup-diff --fail-over=0 code b -- code a >out 2>err
is "$? $(cat err)" '0 ' 'less time is no growth'
profsup-diff --fail-over=0 code a -- code a >out 2>err
is "$? $(cat err)" '0 ' 'nor is what chance explains'

# More noise, fewer changes; the sides may be swapped.
is "$(seconds '.functions[0].self.significant' code a -- code b) $(seconds '.functions[0].self.significant' --noise=60 code a -- code b)" \
	'true false' 'with much noise twice the time is no change'
is "$(seconds '.functions[0].self | .change + .by_calls + .by_cost' code a -- code b) $(seconds '.functions[0].self | .change + .by_calls + .by_cost' code b -- code a)" \
	'2 -2' 'the sides may be swapped'
made c callee=400 '_start->callee=20'
is "$(seconds '.functions[0].self | [.by_calls, .by_cost]' code a -- code c)" '[1.5,1.5]' \
	'twice the calls at twice the cost: 10 more at 15 ms are 1.5 s, and 15 at 10 ms more are 1.5 s'
made d callee=100 '_start->callee=10' '_start->other=3'
made e callee=100 '_start->callee=10' '_start->other=4'
cp d d2
cp e e2
is "$(seconds '[.functions[] | select(.name == "other").calls.changed]' code d -- code e)" '[true]' 'one call more is a change, without any time'
is "$(seconds '[.functions[] | select(.name == "other").calls.changed]' code d e -- code e e2)" '[false]' 'but not if runs of one side differ'
is "$(profsup-diff code d d2 -- code d | wc -l)" 2 'equal runs: two lines'
for runs in 'a d' 'd a'; do
	# shellcheck disable=SC2086 # words
	profsup-diff --calls code $runs -- code e e2 | grep -c -- '-> other$'
done >changed
is "$(xargs <changed)" '0 0' 'nor is an arc that some runs of one side lack, whichever comes first'
profsup-diff --calls code d d2 -- code e | grep -q '  _start -> other$'
ok $? '--calls shows the arc'
profsup-diff --all code d d2 -- code e | grep -qE '^ +1\.000 +1\.000 +\+0\.000 .*  callee$'
ok $? '--all shows what has not changed'

# Files of stacks that only some have are not used.
profsup-cc -O1 -g -o prog "$testdir/planted.c" 2>cc.err || bail "$(cat cc.err)"
for run in 1 2; do
	profsup -q -g -F 1000 -o "s.$run" ./prog || bail 'the program fails'
done
cp s.2 alone
profsup-diff --format=json ./prog s.1 -- ./prog s.2 >named
for words in 's.1 -- s.2' './prog s.1 -- s.2' 's.1 -- ./prog s.2' 'runs/1 -- runs/2'; do
	mkdir -p runs/1 runs/2
	for run in 1 2; do
		cp s.$run s.$run.pb.gz runs/$run
	done
	# shellcheck disable=SC2086 # words
	profsup-diff --format=json $words 2>err | sed 's|"runs/[12]/|"|g' >out
	cmp out named >cmp.out 2>&1
	is "$? $(cat err)" '0 ' "$words: a program that is not named is found"
done
is "$(profsup-diff --format=json ./prog s.1 -- ./prog s.2 2>err | jq -c '[.measured, (.stacks | length > 0), .functions[0].total != null]') $(cat err)" \
	'[true,true,true] ' 'stacks are used if all runs have them'
is "$(profsup-diff --format=json ./prog s.1 -- ./prog alone 2>err | jq -c '[.measured, .stacks, .functions[0].total]') $(cat err)" \
	'[false,null,null] profsup-diff: not all runs have stacks: the time of what was called goes by the shares of calls' 'if not, that is said'
is "$(profsup-diff -q --format=json ./prog s.1 -- ./prog alone 2>&1 | jq -c .measured)" false 'but not with -q'
is "$(profsup-diff --no-stacks --format=json ./prog s.1 -- ./prog s.2 2>&1 | jq -c .measured)" false 'nor are they with --no-stacks'
done_testing
