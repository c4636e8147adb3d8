#!/bin/sh
# Real runs of a program with a planted change: the function is named first, and the change is that of its calls, or that
# of their cost.  Runs of all builds take turns, so that what else the machine does is everybody's.
# check-all: a change of CPU time, as measured
. "$(dirname "$0")/../lib/testlib.sh"
others_begin

command -v jq >/dev/null || skip_all 'jq is not installed'

build() {
	build_name=$1
	shift
	profsup-cc -O1 -g "$@" -o "$build_name" "$testdir/planted.c" >cc.out 2>&1 || bail "$(cat cc.out)"
}
build old
build calls -DCALLS=800
build cost -DCOST=130 -DMORE
for run in 1 2 3 4 5; do
	for program in old calls cost; do
		profsup -q -g -F 1000 -o "$program.$run" "./$program" || bail "$program fails"
	done
done

# of FUNCTION FILTER: of the JSON object in `out`
of() {
	jq -r --arg f "$1" ".functions[] | select(.name == \$f) | $2" out
}
# surely FUNCTION: it is significant, or other work on the machine has made the runs too different: five runs each, and
# 2.3 of Student's distribution of 8 degrees make the error.
surely() {
	is "$(of "$1" '.self | .significant or (if .change < 0 then -.change else .change end) < 2.5 * .error')" true "$2" || diag_file text
}

# compare BEFORE AFTER
compare() {
	profsup-diff --format=json "./$1" "$1".? -- "./$2" "$2".? >out 2>err
	is "$? $(cat err)" '0 ' "$1 and $2 are compared" || diag_file err
	profsup-diff --all "./$1" "$1".? -- "./$2" "$2".? >text 2>/dev/null
	jq -r '[.functions[] | select(.name == "often" or .name == "dear" or .name == "same" or .name == "spin")] |
		sort_by(-(.self.change | if . < 0 then -. else . end)) | .[].name' out >order
}

compare old calls
is "$(head -n 1 order)" often 'twice as many calls: the function has changed most' || diag_file text
between_others "$(of often '.self.change / .self.before')" 0.5 1.7 'by as much again'
is "$(of often '[.calls.before, .calls.after, .calls.changed] | @csv')" '400,800,true' 'its calls are exact'
between_others "$(of often '.self.by_calls / .self.change')" 0.6 1.7 'by its calls'
between "$(of often '(.self.by_calls + .self.by_cost) / .self.change')" 0.999999 1.000001 'the parts add up to the change'
surely often 'it is no chance'
is "$(awk '$NF == "function" { getline; print $NF; exit }' text)" often 'text: it is the first in the first table' || diag_file text
awk '$NF == "often" && $0 !~ /by/ { print $5, $6, $7, $8 }' text | head -n 1 | grep -qE '^\+0\.[0-9]+ [-+]0\.[0-9]+ 400 800$'
ok $? 'text: with its parts and its calls' || diag_file text
grep -qE '^ +400 +800 +by main$' text
ok $? 'text: and whose calls they are'
grep -q '^calls 1601 -> 2001: the work or the program differs: 1 function is called more or less often' text
ok $? 'text: that the calls differ is said' || diag_file text
is "$(of often '.total | [.before, .after] == [0, 0]')" false 'stacks: it has time with what it called'
is "$(jq '[.functions[].name] as $n | .arcs[] | select($n[.callee] == "often") | [$n[.caller], .calls.before, .calls.after] | @csv' -r out)" \
	'"main",400,800' 'its arc has the calls, too'

compare old cost
is "$(head -n 1 order)" dear 'calls that cost 1.3 times as much: the function has changed most' || diag_file text
between_others "$(of dear '.self.after / .self.before / 1.3')" 0.7 1.4 'by 0.3 of its time'
is "$(of dear '[.calls.before, .calls.after, .calls.changed] | @csv')" '400,400,false' 'its calls are as many'
is "$(of dear '[.self.by_calls, .self.by_cost == .self.change] | @csv')" '0,true' 'so the change is that of their cost'
is "$(of more '.in')" after 'a function that only one build has is so marked'
surely dear 'it is no chance'
grep -q '^only after, 1 function: more$' text
ok $? 'text: a new function is named' || diag_file text

# The ratio to functions that have not changed is the planted one, whatever the machine did meanwhile; of some 1,500 ticks
# and more on each side, whose four sigma are 20 %.
ratio=$(jq '[.functions[] | select(.name == "dear" or .name == "same" or .name == "spin") | {(.name): .self}] | add |
	(.dear.after / (.same.after + .spin.after)) / (.dear.before / (.same.before + .spin.before))' out)
between_others "$ratio" 1.04 1.56 'beside functions that have not changed it is 1.3 times as much'

# Equal runs; tests/soak/diff.t has more of them.
for pair in '1 2' '3 4'; do
	# shellcheck disable=SC2086 # two words
	set -- $pair
	is "$(profsup-diff ./old "old.$1" -- ./old "old.$2" | sed -n 2p)" 'no function has changed by more than chance explains' \
		"runs $1 and $2 of one program: nothing is shown"
done

# Both ways.
compare cost old
is "$(of dear '.self.change < 0') $(of more .in)" 'true before' 'the other way around, it is less, and the new function is gone'
done_testing
