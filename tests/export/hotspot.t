#!/bin/sh
# perf.data, as hotspot's loader takes it: no complaint, all events, and each function's time is the profile's.
# check-all: needs hotspot
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need jq jq
for parser in /usr/lib/*/libexec/hotspot-perfparser /usr/libexec/hotspot-perfparser; do
	[ ! -x "$parser" ] || break
done
[ -x "$parser" ] || skip_all 'hotspot is not installed: tests/setup.sh readers'

for how in static static-pie; do
	for_perf "$how"
	export_as perf "$how" "$how.gmon"
	mv out perf.data
	profsup-export -q --format=json "$how" "$how.gmon" >json
	"$parser" --input perf.data --output stream.out >said 2>&1
	is "$? $(grep -v '^FINISHED_ROUND detected\. ' said)" '0 ' "$how: hotspot's loader is content"
	perl "$testdir/hotspot.pl" <stream.out >loaded
	is "$(grep -E '^(all|errors) ' loaded | xargs)" "all $(jq '.totals.ticks * 1000000' json) errors 0" "$how: it has all events"
	for kind in self total; do
		ours='^(main|cheap|dear|work|leaf|itself|odd|even|compare|call)$'
		awk -v kind="$kind" -v ours="$ours" '$1 == kind && $3 ~ ours { print $2, $3 }' loaded | sort >got
		jq -r --arg key "${kind}_ticks" '.functions[] | select(.[$key] > 0) | "\(.[$key] * 1000000) \(.name)"' json |
			awk -v ours="$ours" '$2 ~ ours' | sort >want
		same got want "$how: the $kind time of each function is the profile's"
	done
done

# Functions of libraries.
for_libraries
profsup-export -q --format=perf -o perf.data uses uses.gmon
profsup-export -q --format=json uses uses.gmon >json
"$parser" --input perf.data --output stream.out >said 2>&1
is "$? $(grep -v '^FINISHED_ROUND detected\. ' said)" '0 ' "libraries: hotspot's loader is content"
perl "$testdir/hotspot.pl" <stream.out >loaded
for kind in self total; do
	awk -v kind="$kind" '$1 == kind && $3 ~ /^(burn_[a-z_]*|one|two|main)$/ { print $2, $3 }' loaded | sort >got
	jq -r --arg key "${kind}_ticks" '.functions[] | select(.[$key] > 0) | "\(.[$key] * 1000000) \(.name)"' json |
		sed 's/ \[.*//' | grep -E ' (burn_[a-z_]*|one|two|main)$' | sort >want
	same got want "libraries: the $kind time of each function is the profile's"
done
done_testing
