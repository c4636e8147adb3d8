#!/bin/sh
# 4.3BSD's and 4.4BSD's profil(2), sentence by sentence.
# check-all: numbers of samples
. "$(dirname "$0")/../lib/testlib.sh"
# shellcheck source=tests/lib/dialect.sh
. "$top/tests/lib/dialect.sh"

build_both bsd
# shellcheck disable=SC2119 # none
each_way
done_testing
