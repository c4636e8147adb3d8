#!/bin/sh
# Calls that wait for a time of their own: whatever disturbs them, they end as they do alone, and in their time.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target timed-waits)" prog
timeout 120 ./prog | sort >alone
is "$(grep -c 'too late' alone)" 0 'alone no call is late'
for sampler in $(samplers); do
	timeout 120 profsup --sampler="$sampler" -F 1000 ./prog 2>err | sort >out
	while read -r line; do
		grep -qxF "$line" out
		ok $? "$sampler: $line" || grep -F "${line%%:*}:" out | sed 's/^/# /'
	done <alone
	rm -f gmon.*
done
done_testing
