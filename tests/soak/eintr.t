#!/bin/sh
# Half a minute of waits at 1,000 Hz: not one EINTR, and without stops no more switches than alone.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target eintr)" prog
rounds=300
./prog all $rounds switches >alone
is "$(grep -c ': 0 EINTR, 0 other$' alone)" "$(($(wc -l <alone) - 1))" 'alone no wait ends with EINTR'
alone=$(sed -n 's/^left its CPU \([0-9]*\) times/\1/p' alone)
for sampler in $(samplers); do
	rm -f gmon.*
	timeout 300 profsup -q --sampler="$sampler" -F 1000 ./prog all $rounds switches >out
	is "$(grep EINTR out)" "$(grep EINTR alone)" "$sampler: nor does any under profsup"
	[ "$sampler" = ptrace ] && continue
	between "$(sed -n 's/^left its CPU \([0-9]*\) times/\1/p' out)" $((alone - alone / 50)) $((alone + alone / 50)) \
		"$sampler: it leaves its CPU as often as alone ($alone)"
done
done_testing
