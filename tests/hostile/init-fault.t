#!/bin/sh
# The first process of a pid namespace ends by a fault as it does alone, though the kernel keeps such signals from it
# otherwise: the same wait status, its profile is there, and the supervisor has little to do.
# check-all: how soon it ends, and with how much CPU time
. "$(dirname "$0")/../lib/hostile.sh"
if [ "$(id -u)" -eq 0 ]; then
	alone=
else
	need_userns
	alone='unshare -Ur'
fi

chmod 755 .
cp "$(target init-fault)" prog
who=
prlimit --core=0:0 --pid $$

# runs_as_alone SAMPLER HOW
runs_as_alone() {
	rm -f gmon.* stats out err
	# shellcheck disable=SC2086 # words
	$alone ./prog "$2" >want
	# shellcheck disable=SC2086 # words
	profsup -q --sampler="$1" --stats=stats $alone ./prog "$2" >out 2>err &
	front=$!
	wait_until 60 is_gone $front
	ok $? "$1: $2: profsup ends" || {
		cpu=$(survivors | while read -r pid _; do
			echo $(($(stat_field "$pid" 12) + $(stat_field "$pid" 13)))
		done | sort -n | tail -n 1)
		diag "after 60 s the busiest process has used $cpu hundredths of a second; left: $(survivors)"
		kill_survivors
	}
	wait $front
	is "$(cat out)" "$(cat want)" "$1: $2: the process ends as it does alone" || diag_file err
	own=$(statistic own_cpu_ns stats 2>/dev/null)
	[ "$2" != raise ] || usual=${own:-0}
	between "$own" 1 $((10 * usual + 1)) "$1: $2: the supervisor has no more to do than for one that exits"
	is "$(all_calls_of prog work 2>/dev/null)" 12345 "$1: $2: its profile is there, with its calls"
	nobody_left
}

# The first one that is named here is not ended by its signal, and so is what the others are compared with.
for how in raise SEGV BUS FPE ILL abort; do
	runs_as_alone ptrace $how
done
[ "$(samplers | wc -l)" -eq 1 ] || for how in raise SEGV; do
	runs_as_alone perf $how
done
done_testing
