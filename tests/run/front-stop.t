#!/bin/sh
# The front stops with the program and goes on with it, also where the program has gone on, or is gone, before the
# front has stopped.
# san: traced
. "$(dirname "$0")/../lib/testlib.sh"
command -v strace >/dev/null || skip_all 'needs strace'

cp "$(target eintr)" prog
# The front asks whether the program has gone on, and is slow then: the program goes on and ends meanwhile.
want=$(./prog by-stop)
for sampler in $(samplers); do
	timeout --foreground -s KILL 20 strace -qq -o /dev/null -e inject=waitid:delay_exit=300000 \
		profsup -q "--sampler=$sampler" ./prog by-stop >out 2>&1
	is "$?: $(cat out)" "0: $want" "$sampler: a front that is late to stop goes on" ||
		pkill -KILL -f "profsup -q --sampler=$sampler ./prog by-stop"
done
done_testing
