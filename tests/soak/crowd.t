#!/bin/sh
# Half an hour of processes and threads that come and go, with both samplers: each has its file, and the supervisor does
# not grow.  SOAK_SECONDS: how long in all; SOAK_SEED: as before.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/crowd/crowd.sh"
need_crowd

crowds "${SOAK_SECONDS:-1800}"
done_testing
