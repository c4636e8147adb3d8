#!/bin/sh
# The same as tests/hostile/sibling.t for 20 seconds each, with more mounts; prints all latencies.
if [ "${PROFSUP_TEST_IN_NS:-}" != 1 ] && [ "$(id -u)" -eq 0 ]; then
	PROFSUP_TEST_IN_NS=1 exec unshare -m --propagation private "$0"
fi
. "$(dirname "$0")/../lib/hostile.sh"
# shellcheck source=tests/lib/siblings.sh
. "$top/tests/lib/siblings.sh"

siblings_prepare
all_siblings "${SOAK_SECONDS:-20}" 20000
done_testing
