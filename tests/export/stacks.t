#!/bin/sh
# With the file of stacks that profsup -g writes, time is where it was measured: a dear call of a function costs what it
# has cost, not the mean of all calls.
# check-all: needs valgrind; shares, as measured
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need callgrind_annotate valgrind
need jq jq
need protoc protobuf-compiler

profsup-cc -O1 -g -o prog "$testdir/stacks.c" >cc.out 2>&1 || bail "$(cat cc.out)"
for run in 1 2; do
	profsup -q --timeline -F 1000 -o "$run" ./prog || bail 'the program fails'
	[ -f "$run.pb.gz" ] || bail 'no file of stacks'
done
# Both rules for the file's name.
mkdir named
cp 1 named/gmon.prog.1.out
cp 1.pb.gz named/stacks.prog.1.pb.gz
drawn --with=work 1.pb.gz
sum=$(($(ticks 1) + $(ticks 2)))

# decoded: `out`, of pprof's format, as text
decoded() {
	gzip -dc <out | protoc --decode=perftools.profiles.Profile -I "$top/tools/model" profile.proto
}

# share FUNCTION CALLER: per cent of the function's ticks, in folded stacks, that are on stacks with the caller
share() {
	awk -v f="$1" -v caller="$2" '
		{ n = $NF; sub(/ [0-9]*$/, ""); all = ";" $0 ";" }
		all ~ ";" f ";$" { sum += n; if (all ~ ";" caller ";") part += n }
		END { print (sum > 0 ? 100 * part / sum : "none") }' out
}

for files in '1' '1 2' 'named/gmon.prog.1.out'; do
	# shellcheck disable=SC2086 # words
	export_as folded prog $files
	likely "$(share work dear)" 99 100 "folded of $files: the dear caller has the function's time"
	likely "$(share leaf main)" 99 100 "folded of $files: stacks reach main"
	! grep -q shares err
	ok $? "folded of $files: nothing is said of shares" || diag_file err
	! grep -q mcount out
	ok $? "folded of $files: the profiler's own time is left out"
done
profsup-export -q --format=folded --no-stacks prog 1 >out
between "$(share work cheap)" 50 80 'with --no-stacks it goes by the number of calls'

# All ticks, once.
export_as json prog 1 2
is "$(jq '.totals.ticks + .totals.runtime_ticks - ([.functions[] | select(.name == "[unknown]").self_ticks] | add)' out)" \
	"$((sum - $(jq '[.functions[] | select(.name == "[no room]").self_ticks] | add' out)))" 'json: all ticks of the gmon files are there'
between "$(jq .totals.runtime_ticks out)" 1 $sum "json: the profiler's own time is apart"
is "$(jq '([.functions[].self_ticks] | add) - .totals.ticks' out)" 0 'json: the functions add up to the total'
is "$(jq '([.stacks[].ticks] | add) - .totals.ticks' out)" 0 'json: so do the stacks'
is "$(jq '. as $p | [.stacks[] | .ticks as $t | .frames | unique[] | {f: ., t: $t}] | group_by(.f) |
	map(select($p.functions[.[0].f].total_ticks != ([.[].t] | add))) | length' out)" 0 \
	'json: a function has the ticks of each stack that it is in, once'
is "$(jq '. as $p | [.functions[] | .id as $i | .total_ticks - .self_ticks - ([$p.arcs[] | select(.caller == $i).ticks] | add // 0)] |
	map(select(. != 0)) | length' out)" 0 'json: its own ticks and those of its calls add up to that'
is "$(jq '[.arcs[] | .ticks - ([.sites[].ticks] | add)] | map(select(. != 0)) | length' out)" 0 'json: call sites add up to their arc'
self=$(jq '.functions[] | select(.name == "itself").total_ticks' out)
between "$self" 20 $sum 'json: the recursive function has time'
between "$(jq '.totals.ticks as $all | [.functions[] | select(.total_ticks > $all)] | length' out)" 0 0 'json: none has more than there is'
arcs_by_name prog 1 2 | sort >want
jq -r '[.functions[].name] as $n | .arcs[] | select(.calls > 0) | "\(.calls)\t\($n[.caller])\t\($n[.callee])"' out >got
for pair in 'main	cheap' 'cheap	work' 'dear	work' 'itself	itself' 'odd	even' 'even	odd'; do
	is "$(awk -F '\t' -v p="$pair" '$2 "\t" $3 == p { print $1 }' got)" \
		"$("$top/tests/lib/arcs.pl" prog 1 2 | sed 's/ /	/g' | awk -F '\t' -v p="$pair" '$1 "\t" $2 == p { n += $3 } END { print n }')" \
		"json: calls are exact: $(echo "$pair" | tr '\t' '>')"
done
jq -r '[.functions[].name] as $n | .arcs[] | select($n[.callee] == "work") | "\($n[.caller]) \(.ticks)"' out >arcs
likely "$(awk '{ all += $2 } $1 == "dear" { dear = $2 } END { print 100 * dear / all }' arcs)" 99 100 'json: the arc of the dear caller has its time' ||
	diag_file arcs
total=$(jq .totals.ticks out)

# annotate OPTION...: lines of the ticks, without percentages and thousands' commas, "file:" and "[object]"
annotate() {
	callgrind_annotate --auto=no --threshold=100 --show-percs=no --show=ticks "$@" out 2>annotate.err |
		perl -pe 's/(?<=\d),(?=\d)//g; s/ \[[^\]]*\]$//; s/^(\s*\d+\s+[*<>]?\s*)\S*?:(?!:)/$1/'
}
export_as callgrind prog 1 2
annotate >table
[ ! -s annotate.err ]
ok $? 'callgrind: callgrind_annotate has no complaint' || diag_file annotate.err
is "$(awk '/PROGRAM TOTALS/ { print $1 }' table)" "$total" 'callgrind: the total is the same'
is "$(perl -ne '$n += $1 if /^\s*(\d+)\s+\S+$/; END { print $n }' table)" "$total" "callgrind: so is that of the functions' own ticks"
annotate --inclusive=yes --tree=caller >table
perl -ne '
	$pending{$2} = [$1, $3] if /^\s*(\d+)\s+<\s+\S*?([^:\s]+) \((\d+)x\)$/;
	next unless /^\s*\d+\s+\*\s+(\S+)$/;
	print map { "$1 $_ @{$pending{$_}}\n" } sort keys %pending;
	%pending = ()' table >callers
is "$(awk '$1 == "work" { print $2, $4 }' callers | xargs)" 'cheap 600 dear 300' 'callgrind: calls are exact' || diag_file callers
likely "$(awk '$1 == "work" { all += $3 } $1 == "work" && $2 == "dear" { dear = $3 } END { print 100 * dear / all }' callers)" 99 100 \
	'callgrind: the dear caller has the time' || diag_file callers
is "$(awk '$1 == "__libc_start_main" || $1 ~ /^__libc_start_main/ { print $2, $4 }' callers)" '_start 1' \
	'callgrind: a call that only stacks have seen is one' || diag_file callers
is "$(annotate --inclusive=yes | awk '$2 == "itself" { print $1; exit }')" "$self" 'callgrind: recursion is counted once'

export_as pprof prog 1 2
decoded >text
"$testdir/pprof.pl" self <text | awk '{ n += $1 } END { print n }' >got
is "$(cat got)" "$total" 'pprof: the total is the same'
grep -q 'string_table: "stacks are measured; calls are exact"' text
ok $? 'pprof: the comment says that stacks are measured'
[ ! -s err ]
ok $? 'pprof: nothing is said, since nothing is lost' || diag_file err
"$testdir/pprof.pl" stacks <text >out
likely "$(share work dear)" 99 100 'pprof: the dear caller has the time' || diag_file out
line=$(awk '/work\(1000000\)/ { print FNR }' "$testdir/stacks.c")
[ "$("$testdir/pprof.pl" lines <text | awk -v l="$line" '$1 == "dear" && $2 == l' | wc -l)" -gt 0 ]
ok $? 'pprof: a frame has the line of its call' || diag "$("$testdir/pprof.pl" lines <text)"

if command -v dot >/dev/null; then
	export_as svg prog 1 2
	[ ! -s err ]
	ok $? 'svg: it is drawn'
fi

# Some have none.
cp 2 alone
profsup-export --format=folded prog 1 alone >out 2>err
is "$? $(grep -c . err) $(head -n 1 err)" \
	'0 2 profsup-export: 1 of 2 gmon files have no file of stacks beside them, such as alone; stacks are worked out from the shares of calls' \
	'if a file has no stacks, shares are used for all'
between "$(share work cheap)" 50 80 'indeed'
done_testing
