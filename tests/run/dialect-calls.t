#!/bin/sh
# san: measures (ticks that come late in a sanitizer)
# What the older calls answer and touch, whatever the number of samples, which is for dialects.t.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/dialect.sh"

# shellcheck disable=SC2034 # dialect.sh's
decides=calls
for dialect in bsd illumos pcsample sprofil aix; do
	cp "$(target "dialect-$dialect")" static
	timeout -s KILL 300 profsup -F 1000 ./static >out 2>err
	status=$?
	points out "$dialect: "
	is "$status $(said err)" '0 ' "$dialect: all of it was done, and profsup has nothing to say" || diag_file out
done
done_testing
