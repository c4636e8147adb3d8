#!/bin/sh
# The supervisor on simulated machines: 50 kinds of programs, 210 machines each, but for costly ones; in tests/soak/long.t a million, half an hour on two
# CPUs.
. "$(dirname "$0")/../lib/testlib.sh"

sim=${PROFSUP_TARGETS:-$top/build/tests/targets}/../sim
for kind in alone crowd-4 forks-perf; do
	"$sim" --seed=7 --kind=$kind --trace >first
	"$sim" --seed=7 --kind=$kind --trace >second
	cmp first second >&2 && [ "$(wc -l <first)" -gt 100 ]
	ok $? "$kind: a seed gives the same run, to the byte"
done
"$sim" --seed="$(rounds 1:210 1000:50000)" >all
status=$?
is "$(tail -n 1 all)" '1..552' 'all kinds have run'
grep '^not ok' all >bad
is "$status $(wc -l <bad)" '0 0' 'each run keeps its promises' || diag_file all
done_testing
