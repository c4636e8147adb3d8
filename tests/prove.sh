#!/bin/sh
# prove ARGUMENT...; with PROFSUP_TEST_TWICE=1, as in CI, the files that fail are run once more, one at a time.  On a
# machine that is busy with something else a test of signals, terminals or statistics can fail for want of a CPU; one
# that fails alone as well has found something.  Both runs are printed.
set -u
state=$(mktemp) || exit 1
trap 'rm -f "$state"' EXIT
trap 'exit 1' INT TERM HUP

prove --state=save --statefile="$state" "$@"
status=$?
if [ "$status" -ne 0 ] && [ "${PROFSUP_TEST_TWICE:-}" = 1 ]; then
	echo '=== once more, alone: what has failed'
	prove --state=failed --statefile="$state" -j1 -v
	status=$?
fi
exit "$status"
