#!/bin/sh
# Callgrind's format, read by valgrind's callgrind_annotate: time and calls are gprof's.
# check-all: needs valgrind
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need callgrind_annotate valgrind
inputs >sets || bail 'no programs'

# annotate OPTION...: lines of the ticks, without percentages and thousands' commas, "file:" and "[object]"
annotate() {
	callgrind_annotate --threshold=100 --show-percs=no --show=ticks "$@" out 2>annotate.err |
		perl -pe 's/(?<=\d),(?=\d)//g; s/ \[[^\]]*\]$//; s/^(\s*\d+\s+[*<>]?\s*)\S*?:(?!:)/$1/'
}

while read -r program files; do
	# shellcheck disable=SC2086 # a list
	set -- $program $files
	export_as callgrind --no-inlines "$@"
	annotate >table
	[ ! -s annotate.err ]
	ok $? "$*: callgrind_annotate has no complaint" || diag_file annotate.err
	is "$(awk '/PROGRAM TOTALS/ { print $1 }' table)" "$(total_by_gprof "$@")" "$*: the total is gprof's"
	perl -ne 'print "$1\t$2\n" if /^\s*(\d+)\s+(\S.*)$/' table | ours >got
	self_by_gprof "$@" >want
	near got want 1 "$*: each function's own time is gprof's"

	annotate --inclusive=yes | perl -ne 'print "$1\t$2\n" if /^\s*(\d+)\s+(\S.*)$/' | ours >got
	# A function of a cycle is given the cycle's whole cost there.
	below_by_gprof "$@" | grep -Ev 'odd|even' >want
	grep -Ev 'odd|even' got >kept
	near kept want 2 "$*: each function's time with what it called is gprof's"

	annotate --inclusive=yes --tree=calling | perl -ne '
		$caller = $1 if /^\s*\d+\s+\*\s+(\S.*)$/;
		print "$2\t$caller\t$1\n" if /^\s*\d+\s+>\s+(\S.*) \((\d+)x\)$/' | ours >got
	arcs_by_name "$@" >want
	same got want "$*: each arc has its exact number of calls"
done <sets

# Lines: what callgrind_annotate writes beside the source.
export_as callgrind --no-inlines fixed fixed.1
callgrind_annotate --auto=yes --show=ticks --show-percs=no --threshold=100 out | perl -ne '
	$in = 1 if /^-- Auto-annotated source:.*shapes\.cc/;
	s/(?<=\d),(?=\d)//g;
	$leaf = 1 if $in && /\bleaf\(int n\)/;
	print "$1 $2\n" if $leaf && /^\s*(\d+)\s+(\S.*)$/;
	$in = $leaf = 0 if $leaf && /\}\s*$/' >lines
self_by_gprof fixed fixed.1 | grep 'shapes::leaf(int)$' >want
awk '{ sum += $1 } END { print sum + 0 "\tshapes::leaf(int)" }' lines >got
near got want 1 "the time of a function is at its source lines" || diag_file lines
callgrind_annotate --show=ticks --show-percs=no --threshold=100 out >table
between "$(awk '$2 ~ /shapes\.h:shapes::even/ { print $1 }' table)" 1 1000 \
	'that of code which comes from another file is under that file'
is "$(grep -c 'shapes\.h:' table)" 1 'and nothing else is'
two_functions code
"$testdir/gmon-edit.pl" bins 100 "$callee" 1 2 3 >samples
is "$(profsup-export --format=callgrind code samples | grep '^desc: .*calls')" \
	"desc: No calls were counted; cost below a call is the caller's share by number of calls" 'samples alone: it is not said that calls are exact'
done_testing
