#!/bin/sh
# AIX's profil, sentence by sentence.
. "$(dirname "$0")/../tap/testlib.sh"
# shellcheck source=tests/tap/proclib.sh
. "$top/tests/tap/proclib.sh"
# shellcheck source=tests/tap/dialect.sh
. "$top/tests/tap/dialect.sh"

build_both aix
# shellcheck disable=SC2119 # none
each_way

# Nobody asked for a rate.
for sampler in $(samplers); do
	profsup -q --sampler="$sampler" ./dynamic 60 >out 2>err
	points out "$sampler: "
	is "$(said err)" '' "$sampler: and nothing is said"
done
done_testing
