#!/bin/sh
# Seconds of what tests/soak/crowd.t does for half an hour.
. "$(dirname "$0")/../tap/testlib.sh"
# shellcheck source=tests/crowd/crowd.sh
. "$top/tests/crowd/crowd.sh"
need_crowd

crowds "${SOAK_SECONDS:-10}"
done_testing
