#!/bin/sh
# The supervisor on a million simulated machines, half an hour on two CPUs.
. "$(dirname "$0")/../lib/testlib.sh"

"${PROFSUP_TARGETS:-$top/build/tests/targets}/../sim" --seed=1000:50000 >all
status=$?
grep '^not ok' all >bad
is "$status $(wc -l <bad)" '0 0' 'each run keeps its promises' || diag_file all
done_testing
