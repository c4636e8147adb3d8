#!/bin/sh
# Waiting system calls: a sample never breaks one, and what breaks one alone does so under profsup.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target eintr)" prog
cp "$(target eintr-caller)" caller
cp "$(target aio-two)" two
./prog all 5 >alone
is "$(grep -vc ': 0 EINTR, 0 other$' alone)" 0 'alone no wait ends with EINTR'

for what in by-sigchld by-ignored by-cont by-both by-handler by-stop; do
	./prog $what >"want.$what" &
done
./prog by-end >want.by-end
./two >want.two
wait

# A sampler that breaks the waits for good would keep the program in them: hence the timeouts.
try() {
	with="--sampler=$1"
	rm -f gmon.*
	timeout --foreground 300 profsup "$with" -F 1000 ./prog all 12 >out 2>err
	is "$(cat out)" "$(cat alone)" "$with: at 1,000 Hz none does either, in 12 waits of each kind"
	is "$(said err)" '' "$with: nothing is said"
	for what in by-sigchld by-ignored by-cont by-both by-handler by-stop; do
		rm -f gmon.*
		want=$(cat "want.$what")
		is "$(timeout --foreground 300 profsup "$with" -F 1000 ./prog $what 2>&1 | said)" "$want" \
			"$with: epoll_wait $what: the same as alone ($want)"
	done
	rm -f gmon.*
	is "$(timeout --foreground 300 profsup -q "$with" ./two 2>&1)" "$(cat want.two)" "$with: io_getevents for two: the same as alone"
	# The profile ends while they wait.
	for prog in prog caller; do
		rm -f gmon.*
		is "$(timeout --foreground 300 profsup "$with" --duration=300ms ./$prog by-end 2>&1 | said)" "$(cat want.by-end)" \
			"$with: epoll_wait of $prog by-end: the same as alone"
	done
}

for sampler in $(samplers); do
	try "$sampler"
done
is "$(cat want.by-both) $(cat want.by-end)" '1 and 1 EINTR 0 and 0 EINTR' 'a stop breaks each wait once, and nothing else does'
is "$(cat want.by-handler)" EINTR 'epoll_wait by-handler: that is EINTR'
is "$(cat want.by-sigchld)" timeout 'epoll_wait by-sigchld: that is no EINTR'
done_testing
