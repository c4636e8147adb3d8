#!/bin/sh
# sprofil(3), as glibc and AIX have it.
. "$(dirname "$0")/../tap/testlib.sh"
# shellcheck source=tests/tap/proclib.sh
. "$top/tests/tap/proclib.sh"
# shellcheck source=tests/tap/dialect.sh
. "$top/tests/tap/dialect.sh"

build_both sprofil
# shellcheck disable=SC2119 # none
each_way
done_testing
