#!/bin/bash
# calibrate.sh [RUNS]: what the simulation says of six programs, and what is measured of programs that do the same
# (tests/targets/plain/scripted.c), side by side: prints the table of docs/simulation.md.  After `make tests-built`, as root.
#
# The simulated machine has this one's CPUs, clock and slices, and as many busy threads beside the program as this one has.
# How dear system calls are is fitted: the supervisor is to use as much CPU time for `alone` as here.  All else is foretold.
set -u
runs=${1:-5}
. "$(dirname "$0")/../bench/by-hand.sh"
sim=$top/build/tests/sim
cp "$top/build/tests/targets/scripted" prog
calls='^(ask|syscall|usleep|__?.*nanosleep)$'

# median: of the numbers that are read, one a line.
median() { sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# count_busy: threads that run, but for us, for each CPU: the median of eleven looks.
count_busy() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11; do
		sleep 0.1
		awk -v cpus="$(nproc)" '{ split($4, r, "/"); n = int((r[1] - 1) / cpus); print (n > 8 ? 8 : n) }' /proc/loadavg
	done | median
}

# per_cent WHAT: so many of the ticks.
per_cent() { awk -v n="$(figure "$1")" -v t="$(figure ticks)" 'BEGIN { printf "%.0f\n", 100 * n / t }'; }

figure() { sed -n "s/^\t\"$1\": \([0-9.]*\),*$/\1/p" stats; }

# share_of_calls: in per cent of the time in all of the last run's files.
share_of_calls() {
	"$top/build/stage/bin/profsup-report" -q -a --no-inlines ./prog gmon.prog.out |
		awk -v calls="$calls" 'NF > 6 && $1 ~ /%$/ { t += $3; if ($NF ~ calls) c += $3 } END { printf "%.2f\n", t ? 100 * c / t : 0 }'
}

# run SAMPLER KIND
run() {
	rm -f gmon.*
	profsup -q --sum --sampler="$1" -F 1000 --stats=stats ./prog "$2" 3000
}

# measure KIND: appends to files truth, by_perf, share, sampled, late, stop, own and busy.
measure() {
	run perf "$1" >>truth
	share_of_calls >>by_perf
	count_busy >>busy
	run ptrace "$1" >>truth
	share_of_calls >>share
	per_cent samples >>sampled
	per_cent late_ticks >>late
	figure own_cpu_percent >>own
	awk -v ns="$(figure stopped_ns)" -v n="$(figure stops)" 'BEGIN { printf "%.1f\n", n ? ns / n / 1e3 : 0 }' >>stop
}

tick=$(getconf CLK_TCK)
tick=$((1000000 / tick))
[ -r /proc/config.gz ] && tick=$((1000000 / $(zcat /proc/config.gz | sed -n 's/^CONFIG_HZ=//p')))
slice=$(cat /sys/kernel/debug/sched/base_slice_ns 2>/dev/null)
slice=$((${slice:-$((700000 * ($(nproc) > 7 ? 4 : $(nproc) > 3 ? 3 : $(nproc) > 1 ? 2 : 1)))} / 1000))
dear=100

simulate() { "$sim" --figures --seed=1:40 --kind="$1" --machine="$(nproc):$tick:$slice:$dear" --beside="$2"; }

echo '| program | busy beside, a CPU | calls: truth, % | by perf, % | measured (simulated), % | samples of 100 ticks | late of 100 | a stop, us | own CPU time, % |'
echo '|---|---|---|---|---|---|---|---|---|'
for kind in alone calls rare-calls sleeper crowd-4 threads-4; do
	rm -f truth by_perf share sampled late stop own busy
	for ((i = 0; i < runs; i++)); do measure $kind; done
	beside=$(median <busy)
	if [ $kind = alone ]; then
		for try in 30 40 50 70 100 140 200 280 400; do
			dear=$try
			[ "$(simulate alone "$beside" | awk -v want="$(median <own)" '{ print ($7 >= want) }')" = 1 ] && break
		done
	fi
	read -r _ was booked some later long own < <(simulate $kind "$beside")
	echo "| \`$kind\` | $beside | $(median <truth) ($was) | $(median <by_perf) | $(median <share) ($booked) | $(median <sampled) ($some) |" \
		"$(median <late) ($later) | $(median <stop) ($long) | $(median <own) ($own) |"
done
echo
echo "$(nproc) CPUs, a tick of $tick us, slices of $slice us, calls at $dear %; medians of $runs runs; $(uname -r)"
