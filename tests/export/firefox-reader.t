#!/bin/sh
# --format=firefox as the Firefox Profiler's own reader takes it: the threads, what each function of each thread has, and the
# waits, as the file of stacks has them.
# check-all: needs node and the reader, from npm
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need jq jq
need node nodejs
cli=$("$top/tests/setup.sh" --firefox)
[ -f "$cli" ] || skip_all "the Firefox Profiler's reader is not there: tests/setup.sh readers"

# It keeps a process with the profile, which ends by `stop`.
PROFILER_CLI_SESSION_DIR=$scratch/session
export PROFILER_CLI_SESSION_DIR
trap 'node "$cli" stop --all >/dev/null 2>&1; cd /; rm -rf "$scratch"' EXIT

ask() {
	node "$cli" "$@" --json 2>>asked.err
}
is_loaded() {
	ask thread list | jq -e '.totalThreadCount > 0'
}

# looked_at WHAT: what the reader finds in `out` is what is there.
looked_at() {
	cp out "$1.json"
	: >asked.err
	# A busy machine may need more time than `load` waits.
	node "$cli" load "$1.json" >load.out 2>&1 || true
	wait_until 60 is_loaded
	ok $? "$1: the reader takes it" || diag_file load.out
	"$testdir/firefox.pl" threads <out | sed 's/\*//' >want
	ask thread list --limit 0 | jq -r '.threads[] | "\(.pid) \(.tid) \(.name)"' | sort >got
	sort want -o want
	same got want "$1: it has all threads"
	ask thread list --limit 0 | jq -r '.threads[] | "\(.threadHandle) \(.tid) \(.markerCount)"' >handles
	"$testdir/firefox.pl" sums <out | awk -F '\t' '{ printf "%s\t%s\t%.0f\n", $1, $2, $3 / 1000 }' >want
	while read -r handle tid markers; do
		ask thread functions --thread "$handle" --include-idle --limit 0 |
			jq -r --arg tid "$tid" '.functions[] | select(.selfSamples > 0) | "\($tid)\t\(.name)\t\(.selfSamples * 1000 | round)"'
		"$testdir/firefox.pl" spans <out | grep -c "^$tid " | grep -qx "$markers" || echo "$tid has $markers markers"
	done <handles | sort >got
	sort want -o want
	same got want "$1: each function of each thread has its time, to the microsecond, and each thread its waits"
	node "$cli" stop --all >/dev/null 2>&1
}

cp "$(target waits)" prog
profsup -q --wall --timeline -F 1000 -o waits.gmon ./prog 10 3 >said || bail 'it fails'
profsup-export -q --format=firefox -o out prog waits.gmon
looked_at waits

for_libraries
profsup-export -q --format=firefox -o out uses uses.gmon
looked_at libraries

cp "$(target stacks)" stacks
mkdir several
(cd several && profsup -q --wall --timeline -F 1000 ../stacks fork >said) || bail 'it fails'
profsup-export -q --format=firefox -o out stacks several/gmon.*
looked_at processes
done_testing
