#!/bin/sh
# 4.3BSD's and 4.4BSD's profil(2), sentence by sentence.
. "$(dirname "$0")/../tap/testlib.sh"
# shellcheck source=tests/tap/proclib.sh
. "$top/tests/tap/proclib.sh"
# shellcheck source=tests/tap/dialect.sh
. "$top/tests/tap/dialect.sh"

build_both bsd
# shellcheck disable=SC2119 # none
each_way
done_testing
