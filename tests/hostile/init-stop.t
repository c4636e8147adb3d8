#!/bin/sh
# The first process of a pid namespace is not stopped from inside of it: the kernel drops such signals, which neither stop
# the process nor end its waits under profsup either.  From outside it is stopped, and goes on.
. "$(dirname "$0")/../lib/hostile.sh"
if [ "$(id -u)" -eq 0 ]; then
	alone=
else
	need_userns
	alone='unshare -Ur'
fi

chmod 755 .
cp "$(target init-stop)" prog
who=

# as_alone OPTIONS HOW SIGNAL
as_alone() {
	# shellcheck disable=SC2086 # words
	$alone ./prog "$2" "$3" >want
	rm -f gmon.*
	# shellcheck disable=SC2086 # words
	timeout 60 profsup -q -F 1000 $1 $alone ./prog "$2" "$3" >out 2>err
	is "$(cat out)" "$(cat want)" "$1: $2 $3: as alone: $(cat want)" || diag_file err
}

for options in --sampler=ptrace $(samplers | sed -n '/perf/s/^/--sampler=/p'); do
	for signal in 19 20 21 22; do
		as_alone "$options" kill $signal
		as_alone "$options" threads $signal
		as_alone "$options" raise $signal
		as_alone "$options" outside $signal
	done
	for how in queue timer child queue-outside; do
		as_alone "$options" $how 19
	done
done
nobody_left
done_testing
