#!/bin/sh
# An honest program forks, executes and exits beside attackers under the same supervisor: it is held up no more than
# beside the same where nobody is supervised, and each of its calls is counted.  With PROFSUP_TEST_LONG=1 it takes 20 seconds each.
# check-all: how long others wait
if [ "${PROFSUP_TEST_IN_NS:-}" != 1 ] && [ "$(id -u)" -eq 0 ]; then
	PROFSUP_TEST_IN_NS=1 exec unshare -m --propagation private "$0"
fi
. "$(dirname "$0")/../lib/hostile.sh"
. "$top/tests/lib/siblings.sh"

siblings_prepare
all_siblings "$(rounds 1 "${SOAK_SECONDS:-20}")" "$(rounds 5000 20000)"
done_testing
