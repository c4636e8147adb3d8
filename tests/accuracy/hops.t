#!/bin/sh
# A thread that goes from CPU to CPU has its samples, and each CPU's function its share.
# check-all: shares and sums of CPU time, as measured
. "$(dirname "$0")/../lib/testlib.sh"

[ "$(nproc)" -gt 1 ] || skip_all 'there is one CPU'
cp "$(target hopper)" prog

# hops HZ MS
hops() {
	rm -f gmon.* stacks.*
	truth=$(profsup -q --sampler=ptrace --timeline --stats=stats -F "$1" ./prog "$2")
	ticks=$(statistic ticks stats) samples=$(statistic samples stats)
	own=$(statistic own_cpu_ns stats) all=$(statistic watched_ns stats)
	# Where stops take so long that the supervisor has used up all the time that it may have, a sixteenth, it samples
	# one tick in eight at the least; half of that is asked for.
	least=$((ticks / (own * 16 >= all ? 16 : 2)))
	# One that others keep from its CPUs has gone on before it has been found.
	if [ "$all" -lt "$(($(statistic cpu_ns stats) * 13 / 10))" ]; then
		between "$samples" "$least" $((ticks * 9)) "$1 Hz: enough of the ticks have a sample" ||
			diag "own CPU time $own of $all ns"
	else
		undecided "$1 Hz: enough of the ticks have a sample" \
			"$samples of $ticks, $(statistic cpu_ns stats) ns of CPU time in $all"
	fi
	gprof -b -p ./prog gmon.prog.*.out >flat 2>/dev/null
	drawn stacks.prog.*
	# shellcheck disable=SC2046 # words
	likely "$(awk '$NF == "work_here" { h = $3 } $NF == "work_there" { t = $3 } END { print h + t ? 100 * h / (h + t) : "none" }' flat)" \
		$(echo "$truth" | awk '{ print $1 - 5, $1 + 5 }') "$1 Hz: each has its share" || diag_file flat
}

hops 250 2000
hops 1000 500
done_testing
