#!/bin/sh
# A few seconds of processes and threads that come and go; half an hour of them is tests/soak/crowd.t.
# check-all: processes at random, for ten seconds
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/crowd/crowd.sh"
need_crowd

crowds 4
done_testing
