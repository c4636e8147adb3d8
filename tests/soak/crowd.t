#!/bin/sh
# Half an hour of processes and threads that come and go, with both samplers: each has its file, and the supervisor does
# not grow.  SOAK_SECONDS: how long in all; SOAK_SEED: as before.
. "$(dirname "$0")/../tap/testlib.sh"
# shellcheck source=tests/tap/proclib.sh
. "$top/tests/tap/proclib.sh"
# shellcheck source=tests/crowd/crowd.sh
. "$top/tests/crowd/crowd.sh"
need_crowd

seconds=${SOAK_SECONDS:-1800}
seed=${SOAK_SEED:-$(date +%s)}
diag "SOAK_SEED=$seed SOAK_SECONDS=$seconds"
cp "$(target crowd)" crowd
n=$(samplers | wc -l)
rounds=$((seconds / n / 60))
for sampler in $(samplers); do
	crowd "$sampler" $((seconds / n)) $((rounds > 4 ? rounds : 4)) "$seed"
done
done_testing
