#!/bin/sh
# The older calls, sentence by sentence: 4.3BSD's and 4.4BSD's profil(2), illumos's profil(2) and pcsample(2), sprofil(3), as glibc
# and AIX have it, and AIX's profil.
# check-all: numbers of samples
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/dialect.sh"

for dialect in bsd illumos pcsample sprofil aix; do
	build_both $dialect
	# shellcheck disable=SC2119 # none
	each_way
done

# AIX's, where nobody asked for a rate.
for sampler in $(samplers); do
	profsup --stats=stats --sampler="$sampler" ./dynamic 60 >out 2>err
	points out "$sampler: " err
	is "$(said err)" '' "$sampler: and nothing is said"
done
done_testing
