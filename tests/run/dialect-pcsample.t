#!/bin/sh
# illumos's pcsample(2).
# check-all: numbers of samples
. "$(dirname "$0")/../lib/testlib.sh"
# shellcheck source=tests/lib/dialect.sh
. "$top/tests/lib/dialect.sh"

build_both pcsample
# shellcheck disable=SC2119 # none
each_way
done_testing
