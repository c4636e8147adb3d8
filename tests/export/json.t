#!/bin/sh
# JSON, read by jq: time and calls are gprof's, and nothing of the gmon file is left out.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need jq jq
inputs >sets || bail 'no programs'

while read -r program files; do
	# shellcheck disable=SC2086 # a list
	set -- $program $files
	export_as json --no-inlines "$@"
	[ ! -s err ]
	ok $? "$*: nothing is said, since nothing is lost" || diag_file err
	is "$(jq -c '[.format, .version, .program, .ticks_per_second, .files]' out)" \
		"[\"profsup-export\",1,\"$program\",1000,[\"$(echo "$files" | sed 's/ /","/g')\"]]" "$*: what it is of"
	jq -r '.functions[] | select(.self_ticks > 0) | "\(.self_ticks)\t\(.name)"' out | ours >got
	self_by_gprof "$@" >want
	near got want 0.02 "$*: each function's own time is gprof's"
	is "$(jq '.totals.ticks' out)" "$(total_by_gprof "$@")" "$*: the total is gprof's"
	all=0
	for file in $files; do
		all=$((all + $(ticks "$file")))
	done
	is "$(jq '.totals.ticks + .totals.runtime_ticks' out)" $all "$*: with the runtime's time it is the file's"
	is "$(jq '.totals.ticks - ([.functions[].self_ticks] | add)' out)" 0 "$*: the functions add up to the total"
	jq -r '.functions[] | "\(.total_ticks)\t\(.name)"' out | ours >got
	below_by_gprof "$@" >want
	near got want 0.03 "$*: each function's time with what it called is gprof's"
	jq -r '[.functions[].name] as $n | .arcs[] | "\(.calls)\t\($n[.caller])\t\($n[.callee])"' out | ours >got
	arcs_by_name "$@" >want
	same got want "$*: each arc has its exact number of calls"
	is "$(jq '[.arcs[] | .calls - ([.sites[].calls] | add)] | add' out)" 0 "$*: the call sites of an arc add up to it"
	is "$(jq '[.functions[].calls] | add' out) $(jq .totals.calls out)" \
		"$(jq '[.arcs[].calls] | add' out) $(jq '[.arcs[].calls] | add' out)" "$*: calls of functions, of arcs and in all are as many"
done <sets
between "$(jq '[.functions[] | select(.name == "shapes::leaf(int)") | .self_ticks - ([.self_lines[].ticks] | add)] | add' out)" -0.001 0.001 \
	'the lines of a function have its own time'
between "$(jq '[.functions[] | select(.name == "shapes::leaf(int)").self_lines[].line] | unique | length' out)" 1 4 'they are those of its loop'
is "$(jq '[.functions[] | .self_lines // [] | group_by([.file, .line])[] | length] | max' out)" 1 'and each is there once'
is "$(jq -c '[.functions[] | select(.cycle == 1) | .name] | sort' out)" '["shapes::even(int)","shapes::odd(int)"]' 'the functions of a cycle are marked'
is "$(jq '.functions[] | select(.name == "shapes::itself(int)") | .calls, .calls_by_itself' out | xargs)" '101 100' 'recursion is told from calls by others'
line=$(grep -n 'below = itself' "$testdir/shapes.cc" | cut -d : -f 1)
is "$(jq '.functions as $f | .arcs[] | select(.caller == .callee and $f[.caller].name == "shapes::itself(int)").sites[].line' out)" "$line" \
	'a call site has its source line'
done_testing
