#!/bin/sh
# A gmon file for stock gprof whose arcs have ticks for calls: gprof's own call graph prints the time that stacks have
# measured, to a tick.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need gprof binutils
need jq jq

# No bin is on the border of two functions, so nothing is divided.
profsup-cc -O1 -g -falign-functions=16 -o prog "$testdir/stacks.c" >cc.out 2>&1 || bail "$(cat cc.out)"
profsup-cc -O1 -g -falign-functions=16 -static-pie -o pie "$testdir/stacks.c" >cc.out 2>&1 || bail "$(cat cc.out)"
cp "$(target stacks)" dear
cp dear deep
for run in prog pie 'dear dear' 'deep deep'; do
	# shellcheck disable=SC2086 # words
	set -- $run
	# A machine that does not let us sample for 13 ms leaves no tick in the cycle.
	for _ in $(seq 50); do
		profsup -q --timeline -F 1000 -o "$1.gmon" "./$1" ${2+"$2"} || bail "$run fails"
		[ "$1" = "$run" ] || break
		profsup-export -q --format=json "$1" "$1.gmon" | jq -e '.functions[] | select(.name == "odd").total_ticks > 0' >/dev/null && break
	done
done

# graph PROGRAM FILE: gprof's call graph of it, in ticks: "total<TAB>function" of each function, then "ticks<TAB>caller
# <TAB>callee" of each arc that carries time
graph() {
	"$testdir/gmon-edit.pl" rate 1 "$2" >ticks.gmon
	gprof -b -q "$1" ticks.gmon 2>gprof.err | perl -ne '
		my $name = qr/(\S+)(?: <cycle \d+>)? \[\d+\]/;
		if (/^---/) { @callers = (); $function = undef }
		elsif (/^\[\d+\] +[\d.]+ +([\d.]+) +([\d.]+) +(?:\d+(?:\+\d+)?)? +$name$/) {
			$function = $3;
			printf "%.0f\t%s\n", $1 + $2, $3;
			print map { "$_\t$3\n" } @callers;
		} elsif (/^ +([\d.]+) +([\d.]+) +\d+\/\d+ +$name$/ && !defined $function) {
			push @callers, sprintf "%.0f\t%s", $1 + $2, $3;
		}'
}

for program in prog pie; do
	export_as gprof-inclusive $program $program.gmon
	[ ! -s err ]
	ok $? "$program: nothing is said, since nothing is lost" || diag_file err
	graph $program out >table
	[ ! -s gprof.err ]
	ok $? "$program: gprof has no complaint" || diag_file gprof.err
	is "$(ticks out)" "$(ticks $program.gmon)" "$program: the histogram is the same"
	profsup-export -q --format=json $program $program.gmon >json
	# What other functions of its own cycle have is not in gprof's line of a function, and gprof knows none with a dot.
	jq -r '.functions[] | select(.total_ticks > 0) | "\(.total_ticks)\t\(.name)"' json |
		grep -E '	(main|cheap|dear|work|leaf|itself|compare|call)$' | sort >want
	awk -F '\t' 'NF == 2' table | grep -E '	(main|cheap|dear|work|leaf|itself|compare|call)$' | sort >got
	same got want "$program: gprof has the time with all below that the stacks have"
	jq -r '[.functions[].name] as $n | .arcs[] | select(.ticks > 0 and .caller != .callee) |
		"\(.ticks)\t\($n[.caller])\t\($n[.callee])"' json |
		grep -E '	(main|cheap|dear|itself|odd|even|compare)	(cheap|dear|work|leaf|itself|call)$' | sort >want
	awk -F '\t' 'NF == 3 && $1 > 0' table | grep -E '	(main|cheap|dear|itself|odd|even|compare)	(cheap|dear|work|leaf|itself|call)$' | sort >got
	same got want "$program: and each caller has the time of its calls"
	# The functions of a cycle, as a whole: what the stacks with any of them have.
	cycle=$(jq '[.functions | to_entries[] | select(.value.name == "odd" or .value.name == "even").key] as $c |
		[.stacks[] | select(any(.frames[]; . as $f | $c | index($f) != null)).ticks] | add' json)
	is "$(awk -F '\t' '$2 == "main" && $3 == "odd" { print $1 }' table)" "$cycle" "$program: a cycle's caller has the time of all of it"
done

# One caller's calls cost 10,000 times as much as the other's.
export_as gprof-inclusive dear dear.gmon
# part FILE: per cent of burn's time that gprof gives to the dear caller
part() {
	graph dear "$1" | awk -F '\t' '$3 == "burn" { all += $1 } $3 == "burn" && $2 == "dear" { dear = $1 } END { print 100 * dear / all }'
}
drawn --with=burn dear.gmon.pb.gz
likely "$(part out)" 99 100 'the dear caller of two has the time'
between "$(part dear.gmon)" 30 37 'which the file as it is gives to both by the number of calls'

# Stacks that are cut: their time is not that of the callers that others show.
export_as gprof-inclusive deep deep.gmon
graph deep out >table
profsup-export -q --format=json deep deep.gmon >json
main=$(jq '.functions[] | select(.name == "main").total_ticks' json)
all=$(jq .totals.ticks json)
between "$main" 1 $((all - 1)) 'the outer frames of some stacks are cut off'
is "$(awk -F '\t' '$2 == "main" && NF == 2 { print $1 }' table)" "$main" 'their time is not given to others'
is "$(awk -F '\t' '$2 == "_start" && NF == 2 { print $1 }' table)" "$all" 'but to where the program starts'

# Stacks of one's own making.
cat >code.c <<'X2'
__attribute__((aligned(16), noinline)) void callee(void) { __asm__ volatile(""); }
__attribute__((aligned(16), noinline)) void caller(void) { callee(); __asm__ volatile(""); }
__attribute__((aligned(16), noinline)) void other(void) { callee(); __asm__ volatile(""); }
__attribute__((aligned(16))) void _start(void) { caller(); other(); for (;;) ; }
X2
gcc -O0 -g -nostdlib -static -Wl,--build-id=0xaa00112233445566 -o code code.c 2>cc.err || bail "$(cat cc.err)"
# address FUNCTION
address() {
	nm code | awk -v f="$1" '$3 == f { print $1 }'
}
at_callee=$(address callee) at_caller=$(address caller) at_other=$(address other) at_start=$(address _start)
# plus ADDRESS BYTES
plus() {
	printf %x $((0x$1 + $2))
}
# made STACK TICKS...: the stacks beside g
made() {
	"$testdir/stack-edit.pl" make aa00112233445566 10000000 "$@" </dev/null | gzip -c >g.pb.gz
}
"$testdir/gmon-edit.pl" bins 100 "$at_callee" 200000 >g
made "$at_start/$at_caller/$at_callee" 150000 "$at_start/$(plus "$at_other" 4)/$at_callee" 50000
export_as gprof-inclusive code g
graph code out >table
is "$(awk -F '\t' '$3 == "callee" { print $1, $2 }' table | sort | xargs)" '150000 caller 50000 other' 'bins above 65,535 are several records'
made "$at_start/7fff0000/$at_caller/$at_callee" 150000 "$at_start/$at_caller/7fff0000" 7 "$at_start/$(plus "$at_other" 4)/$at_callee" 50000
export_as gprof-inclusive code g
is "$(cat err)" 'profsup-export: gprof-inclusive: no room for 7 ticks outside of the program'\''s functions' 'what ends in no function is left out, and that is said'
graph code out >table
is "$(awk -F '\t' '$3 == "caller" { print $1, $2 }' table)" '150000 _start' 'callers above a frame in no function have the time below it'
"$testdir/gmon-edit.pl" bins 100 "$at_callee" 5000000000 >g
made "$at_start/$at_caller/$at_callee" 4999999999 "$at_start/$(plus "$at_other" 4)/$at_callee" 1
export_as gprof-inclusive code g
is "$(perl "$top/tests/lib/gmon.pl" arcs out | awk '{ n[$3]++ } END { print n["4999999999"], n["1"] }')" '2 2' 'so are more ticks than a count has room for'

# Without stacks there is nothing to make it of.
cp prog.gmon alone
mkdir kept
echo old >kept/out
profsup-export --format=gprof-inclusive -o kept/out prog alone 2>err
is "$? $(cat err kept/out)" '1 profsup-export: no file of stacks is beside a gmon file; gprof-inclusive is made of stacks, which profsup -g writes
old' 'without files of stacks it says so, in one line'
profsup-export --format=gprof-inclusive -o kept/out prog prog.gmon alone 2>err
is "$? $(cat err)" '1 profsup-export: 1 of 2 gmon files have no file of stacks beside them, such as alone; gprof-inclusive is made of stacks, which profsup -g writes' \
	'and if one of two has none'
profsup-export --format=gprof-inclusive --no-stacks -o kept/out prog prog.gmon 2>err
is "$? $(cat err)" '2 profsup-export: --no-stacks: gprof-inclusive is made of stacks (--help shows the options)' 'nor can it leave them alone'
done_testing
