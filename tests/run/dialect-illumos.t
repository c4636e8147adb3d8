#!/bin/sh
# illumos's profil(2), sentence by sentence.
# check-all: numbers of samples
. "$(dirname "$0")/../lib/testlib.sh"
# shellcheck source=tests/lib/dialect.sh
. "$top/tests/lib/dialect.sh"

build_both illumos
# shellcheck disable=SC2119 # none
each_way
done_testing
