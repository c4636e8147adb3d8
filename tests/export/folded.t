#!/bin/sh
# Folded stacks: their leaves add up to gprof's time of each function, and flamegraph.pl draws what gprof has below it.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

flamegraph=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
[ -f "$flamegraph" ] || skip_all 'flamegraph.pl is not installed (Debian: libdevel-nytprof-perl)'
inputs >sets || bail 'no programs'

while read -r program files; do
	# shellcheck disable=SC2086 # a list
	set -- $program $files
	export_as folded --no-inlines "$@"
	grep -q 'stacks are worked out from the shares of calls' err
	ok $? "$*: it is said where the stacks come from"
	perl -ne '/^(?:.*;)?([^;]+) (\d+)$/ or die "line $.\n"; $sum{$1} += $2;
		END { print map { "$sum{$_}\t$_\n" } keys %sum }' out | ours >got
	self_by_gprof "$@" >want
	near got want 1 "$*: the leaves of one function add up to its time"

	perl "$flamegraph" --minwidth=0 out >out.svg 2>flamegraph.err
	[ -s out.svg ] && [ ! -s flamegraph.err ]
	ok $? "$*: flamegraph.pl has no complaint" || diag_file flamegraph.err
	perl -ne '
		next unless /<title>(.*) \(([\d,]+) (?:samples|ticks)/;
		($name, $n) = ($1, $2);
		$n =~ s/,//g;
		$name =~ s/&lt;/</g, $name =~ s/&gt;/>/g, $name =~ s/&amp;/&/g;
		$sum{$name} += $n;
		END { print map { "$sum{$_}\t$_\n" } keys %sum }' out.svg >frames
	is "$(awk -F '\t' '$2 == "all" { print $1 }' frames)" "$(total_by_gprof "$@")" "$*: the flame graph is as wide as gprof's total"
	ours <frames >got
	# flamegraph.pl writes other brackets.
	below_by_gprof "$@" | tr '<>' '()' >want
	near got want "$(($(total_by_gprof "$@") / 1000 + 10))" "$*: each function's frames are as wide as gprof's time below it"
done <sets
done_testing
