#!/bin/sh
# pprof's format, decoded by protoc with Google's own description of it: time and calls are gprof's.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

schema=/usr/share/gocode/src/github.com/google/pprof/proto
[ -f $schema/profile.proto ] || skip_all 'no profile.proto (Debian: golang-github-google-pprof-dev)'
need protoc protobuf-compiler
inputs >sets || bail 'no programs'

while read -r program files; do
	# shellcheck disable=SC2086 # a list
	set -- $program $files
	export_as pprof --no-inlines "$@"
	gzip -t <out 2>gzip.err
	ok $? "$*: gzip finds it whole" || diag_file gzip.err
	gzip -dc <out | protoc --decode=perftools.profiles.Profile -I $schema profile.proto >text 2>protoc.err
	ok $? "$*: protoc decodes it" || diag_file protoc.err
	! grep -qE '^ *[0-9]+[:{ ]' text
	ok $? "$*: no field is unknown to Google's description"
	"$testdir/pprof.pl" self <text | ours >got
	self_by_gprof "$@" >want
	near got want 1 "$*: each function's own time is gprof's"
	is "$("$testdir/pprof.pl" ns <text)" "$(($(total_by_gprof "$@") * 1000000))" "$*: all nanoseconds are gprof's total"
	"$testdir/pprof.pl" calls <text | ours >got
	arcs_by_name "$@" >want
	same got want "$*: each arc has its exact number of calls"
	is "$("$testdir/pprof.pl" head <text)" "samples/count cpu/nanoseconds calls/count cpu/nanoseconds 1000000 cpu $program $(readelf -n "$program" | awk '/Build ID/ { print $3 }')" \
		"$*: types, period and program"
	profsup-export -q --format=pprof --no-inlines "$@" >again
	cmp -s out again
	ok $? "$*: written again it is the same"
	# Without stacks, too, a function's time is at its lines, which are those of all bins.
	"$testdir/pprof.pl" self-lines <text >got
	profsup-export -q --format=json --no-inlines "$@" |
		jq -r '.functions[] | .name as $n | .self_lines // [] | .[] | "\(.ticks)\t\(.line) \($n)"' | sed 's/	\([0-9]*\) \(.*\)/	\2 \1/' | grep -E '	shapes::leaf' >want
	grep -E '	shapes::leaf' got >got.leaf
	near got.leaf want 1 "$*: a function's time is at its source lines"
done <sets
done_testing
