#!/bin/sh
# Tests that repeat something, with more repetitions than anyone wants to wait for each time: see rounds() in testlib.sh.
. "$(dirname "$0")/../lib/testlib.sh"

PROFSUP_TEST_LONG=1
export PROFSUP_TEST_LONG
for t in $(cd "$top" && grep -lE '\$\(rounds [0-9"-]|^	rounds "|[d]ialect\.sh|[m]atrix\.sh' tests/*/*.t); do
	"$top/$t" >log 2>&1
	ok $? "$t, longer" || diag "$(grep -A 5 '^not ok' log)"
done
done_testing
