#!/bin/bash
# crowds.sh [SECONDS]: how far the share of a system call is from what it uses, in crowds of threads and processes, by
# both samplers and by perf record, which samples the same runs.  Prints what docs/crowds.md sums up.  After `make
# tests-built`, as root, on a machine that does nothing else.
set -u
seconds=${1:-4}
. "$(dirname "$0")/by-hand.sh"
cp "$top/build/tests/targets/crowded" prog
calls='^(ask|syscall|leave|nanosleep|poll|sched_yield|__.*(nanosleep|poll|sched_yield))$'

# by_gprof: the calls' share of the ticks, in percent, and how many ticks there are.
by_gprof() {
	gprof -b -p ./prog gmon.prog.out 2>/dev/null |
		awk -v calls="$calls" -v hz="$1" 'NR > 3 && NF >= 4 { t += $3 * hz; if ($NF ~ calls) c += $3 * hz }
			END { printf "%.1f (%d)", t ? 100 * c / t : 0, t }'
}

by_perf_record() {
	perf report -i perf.data --comm prog --sort symbol --stdio -F sample,symbol 2>/dev/null |
		awk -v calls="$calls" '$1 ~ /^[0-9]+$/ { t += $1; if ($3 ~ calls) c += $1 } END { printf "%.1f", t ? 100 * c / t : 0 }'
}

# row HZ THREADS PROCESSES [BETWEEN]
row() {
	local hz=$1 threads=$2 processes=$3 between=${4:-} cell line
	local ms=$((seconds * 2000 / (threads * processes)))
	line="| $threads | $processes | ${between:--} | $hz |"
	for sampler in ptrace perf; do
		rm -f gmon.* perf.data
		truth=$(perf record -q -o perf.data -F "$hz" -e cpu-clock:u -- \
			profsup -q --sum --sampler=$sampler -F "$hz" ./prog "$threads" "$processes" $((ms > 20 ? ms : 20)) ${between:+"$between"} 2>/dev/null)
		cell=$(by_gprof "$hz")
		[[ $sampler == perf ]] || line+=" $truth |"
		line+=" $cell |"
	done
	echo "$line $(by_perf_record) |"
}

echo '| threads | processes | between | Hz | truth, % | ptrace, % (ticks) | perf, % (ticks) | perf record, % |'
echo '|---|---|---|---|---|---|---|---|'
for hz in 100 1000; do
	for crowd in '1 1' '2 1' '1 2' '3 1' '4 1' '1 4' '8 1' '1 8' '64 1' '16 4'; do
		for between in '' sleep poll yield; do
			# shellcheck disable=SC2086 # words
			row $hz $crowd $between
		done
	done
done
