#!/bin/sh
# What profsup-report prints is what gprof, the gmon file itself and the measured stacks say.
. "$(dirname "$0")/../lib/testlib.sh"
testdir=$top/tests/export # that of the programs
# shellcheck source=tests/export/exportlib.sh
. "$testdir/exportlib.sh"

need jq jq

PROFSUP_CC=g++ profsup-cc -O1 -g -static -o fixed "$testdir/shapes.cc" >cc.out 2>&1 || bail "$(cat cc.out)"
for run in 1 2; do
	profsup -q -F 1000 -o "$run" ./fixed || bail 'the program fails'
	# One tick a second: what is printed as seconds are ticks, with three digits behind the point.
	"$testdir/gmon-edit.pl" rate 1 "$run" >"slow.$run"
done

# shown OPTION...: the report of both
shown() {
	profsup-report -q -a -w --no-inlines "$@" fixed slow.1 slow.2 >out 2>err
	is "$? $(cat err)" '0 ' "$*: it is printed"
}

# Columns of the flat table: share, that of the total, self, calls, self/call, total/call.
table() {
	perl -ne 'print "'"$1"'\t$7\n" if /^ *([\d.]+)% +([\d.]+)% +([\d.]+) +(\d+|-)(?:\+\d+)? +(\S+) +(\S+)  (\S.*?)(?: <cycle \d+>)?$/' out
}

shown --flat
profsup-export -q --format=json --no-inlines fixed slow.1 slow.2 >json || bail 'no json'
# shellcheck disable=SC2016 # perl expands its own
table '$3' | grep -v '^0\.000' >self
self_by_gprof fixed 1 2 >want
ours <self >got
near got want 0.02 "flat: each function's own time is gprof's"
jq -r '.functions[] | select(.self_ticks > 0.001) | "\(.self_ticks)\t\(.name)"' json >want
near self want 0.002 'flat: and that of the json, for all functions'
# shellcheck disable=SC2016
table '$4' | ours >got
jq -r '.functions[] | select(.calls > 0) | "\(.calls - .calls_by_itself)\t\(.name)"' json | ours >want
same got want 'flat: the calls by others are exact'
jq -r '.totals.seconds as $all | .functions[] | select(.total_ticks > 0) | "\(100 * .total_ticks / $all)\t\(.name)"' json >want
# shellcheck disable=SC2016
table '$2' >got
near got want 0.051 'flat: so are the shares of totals'
sort -c -s -r -g self # without -s equal times would have to be in the order of their names, backwards
ok $? 'flat: the function with most time is first' || diag_file self

# The call graph: rows of a function, of callers above and of those called below.
shown --graph
perl -00 -ne '
	my ($of, @callers);
	for (split /\n/) {
		next unless /^(?: *[\d.]+% +[\d.]+| +)(?: +[\d.]+)? +(\S+)  (    )?(\S.*?)(?: <cycle \d+>)?$/;
		my ($calls, $edge, $name) = ($1, $2, $3);
		if (!$edge) { $of = $name; next }
		print "$1\t$of\t$name\n" if defined $of && $calls =~ m{^(\d+)/};
	}' out | ours | grep -v 'libc_start' >got
jq -r '.functions as $f | .arcs[] | select(.caller != .callee) |
	"\(.calls)\t\($f[.caller].name)\t\($f[.callee].name)"' json | ours | grep -v 'libc_start' >want
same got want 'graph: each arc is below its caller, with its exact calls'
perl -00 -ne '
	my (@callers, $of);
	for (split /\n/) {
		next unless /^(?: *[\d.]+% +[\d.]+| +)(?: +[\d.]+)? +(\S+)  (    )?(\S.*?)(?: <cycle \d+>)?$/;
		my ($calls, $edge, $name) = ($1, $2, $3);
		if ($edge) { push @callers, [$1, $name] if !defined $of && $calls =~ m{^(\d+)/}; next }
		$of = $name;
		print "$_->[0]\t$_->[1]\t$of\n" for @callers;
	}' out | ours | grep -v 'libc_start' >got
same got want 'graph: and above the function that it calls'
grep -q '+[1-9][0-9]*  shapes::itself(int)$' out
ok $? 'graph: calls of a function by itself are behind a plus' || diag_file out
grep -Eq 'shapes::(odd|even)\(int\) <cycle 1>$' out
ok $? 'graph: a cycle has a number'

# By pattern: names with or without parameters.
for pattern in 'shapes::leaf' 'shapes::leaf(int)' '*le?f*'; do
	shown --flat="$pattern"
	is "$(grep -c '^ .*%' out) $(grep -c ' shapes::leaf(int)$' out)" '1 1' "$pattern is one function"
done
profsup-report --graph=nobody fixed slow.1 >out 2>err
is "$? $(cat out err)" '1 profsup-report: nobody: no such function has used time or was called' 'none is said to be none'
is "$(profsup-report -q -n 2 fixed slow.1 | grep -c '^ .*%')" 2 'so many rows'
is "$(profsup-report -q -n 2 fixed slow.1 | grep -c 'and [0-9]* more functions (--all)')" 1 'and what is left out is said'
profsup-report -q -a --percent=20 fixed slow.1 slow.2 >out
# shellcheck disable=SC2016
is "$(table '$2' | awk '$1 < 19.9' | wc -l) $(grep -o '(--.*)' out)" '0 (--percent)' '--percent leaves out what has less' || diag_file out
table x | grep -q main
ok $? 'and keeps the others' || diag_file out

two_functions code
{ "$testdir/gmon-edit.pl" bins 100 "$callee" 90 0 0 0 10 && perl -e 'print pack "CQ<Q<V", 1, hex shift, hex shift, 1' "$start" "$callee"; } >made
for options in '-a --percent=20' '-n9 --percent=20' '-n1 --percent=5'; do
	# shellcheck disable=SC2086 # words
	profsup-report -q $options --lines code made | grep -o 'more line.*'
done >left
is "$(xargs <left)" 'more line (--percent) more line (--percent) more line (--all)' 'also of lines'
is "$(profsup-report -q -n 1 --percent=20 fixed slow.1 slow.2 | grep -o '(--.*)')" '(--all)' 'and where others were left out, what shows them'

# Lines: their times add up to the function's, and calls are at the line that makes them.
shown --lines=shapes::leaf
leaf=$(awk -F '\t' '$2 == "shapes::leaf(int)" { print $1 }' self)
is "$(awk '/%/ { s += $2 } END { printf "%.3f", s }' out)" "$leaf" 'lines: they add up to the function' || diag_file out
shown --annotate='shapes::*'
line=$(grep -n 'leaf(1000000);' "$testdir/shapes.cc" | cut -d : -f 1)
is "$(awk -v l="$line" '$4 == l { print $3, $5; exit }' out)" '20 leaf(1000000);' 'annotate: a call is at its line, with its text'
line=$(grep -n '3 \* n; i++' "$testdir/shapes.cc" | cut -d : -f 1)
# A sample may be where it begins or ends: of 3,378 calls, 10 ns each.
between "$(awk -v f="$line" '$4 == f || $4 == f + 1 { s += $1 } END { printf "%.3f", s }' out)" "$(awk -v n="$leaf" 'BEGIN { print n / 2 }')" "$leaf" \
	'annotate: the time of a loop is at its lines' || diag_file out
mkdir moved
# On a busy machine the first sample may be late: it works for long.
sed 's/work(1000000)/work(8000000)/' "$testdir/stacks.c" >bare.c
profsup-cc -O1 -o bare bare.c || bail 'no program without lines'
profsup -q --timeline -F 1000 -o bare.out ./bare || bail 'the program fails'
profsup-report --lines bare bare.out >out 2>err
is "$? $(cat out err)" '1 profsup-report: bare: it has no source lines: compile it with -g, or install its debugging symbols' 'no lines, no table'
cp "$testdir/stacks.c" here.c
profsup-cc -O1 -g -o there here.c || bail 'no program'
profsup -q -g -F 1000 -o there.out ./there || bail 'the program fails'
profsup-report -q --annotate=__libc_start_call_main there there.out >out 2>err
is "$? $(cat out err)" '1 profsup-report: __libc_start_call_main: no source lines of it: it was compiled without -g, as most libraries are' \
	"nor is there one of a library's function; the program is not blamed"
mv here.c moved
profsup-report --annotate=dear there there.out >out 2>err
grep -q '^profsup-report: .*here\.c: No such file or directory (--source names a directory of sources)$' err
ok $? 'a source that is gone is named' || diag_file err
profsup-report --source=moved --annotate=dear there there.out >out 2>err
is "$(cat err) $(grep -c 'work(' out)" " 1" '--source finds it' || diag_file out

# Measured stacks: the dear caller has the time, by shares it has not.
dear_part() {
	awk '$NF == "dear" && /%/ { dear = $2 } $NF == "cheap" && /%/ { cheap = $2 } END { print 100 * dear / (dear + cheap) }' out
}
profsup-report -q bare bare.out >out
grep -q '^total: measured' out
ok $? 'measured totals are said to be'
drawn bare.out.pb.gz
likely "$(dear_part)" 95 100 'dear has the time with stacks'
profsup-report -q --no-stacks bare bare.out >out
between "$(dear_part)" 20 50 'with --no-stacks it goes by the number of calls'
grep -q '^~total: by shares' out
ok $? 'which is said'

done_testing
