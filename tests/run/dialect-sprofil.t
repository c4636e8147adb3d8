#!/bin/sh
# sprofil(3), as glibc and AIX have it.
# check-all: numbers of samples
. "$(dirname "$0")/../lib/testlib.sh"
# shellcheck source=tests/lib/dialect.sh
. "$top/tests/lib/dialect.sh"

build_both sprofil
# shellcheck disable=SC2119 # none
each_way
done_testing
