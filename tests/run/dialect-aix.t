#!/bin/sh
# AIX's profil, sentence by sentence.
# check-all: numbers of samples
. "$(dirname "$0")/../lib/testlib.sh"
# shellcheck source=tests/lib/dialect.sh
. "$top/tests/lib/dialect.sh"

build_both aix
# shellcheck disable=SC2119 # none
each_way

# Nobody asked for a rate.
for sampler in $(samplers); do
	profsup --stats=stats --sampler="$sampler" ./dynamic 60 >out 2>err
	points out "$sampler: " err
	is "$(said err)" '' "$sampler: and nothing is said"
done
done_testing
