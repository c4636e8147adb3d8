#!/bin/sh
# In a crowd, samples are where the CPU time is used, and not where the scheduler takes the CPU away: in a call.
. "$(dirname "$0")/../tap/testlib.sh"
# shellcheck source=tests/tap/proclib.sh
. "$top/tests/tap/proclib.sh"

cp "$(target crowded)" prog

# crowd HZ MS THREADS PROCESSES [BETWEEN]: the share of the calls is theirs, within 2 % and chance.
crowd() {
	hz=$1 ms=$2
	shift 2
	rm -f gmon.*
	truth=$(profsup -v --sampler=ptrace --stats=stats --sum -F "$hz" ./prog "$1" "$2" "$ms" ${3:+"$3"} 2>said)
	gprof -b -p ./prog gmon.prog.out >flat 2>/dev/null
	awk -v hz="$hz" -v truth="$truth" 'NR > 3 && NF >= 4 { t += $3 * hz; if ($NF ~ /^(ask|syscall|leave|nanosleep|poll|sched_yield|__.*(nanosleep|poll|sched_yield))$/) c += $3 * hz }
		END { slack = 0.02 * t + 4 * sqrt(t); printf "# %d of %d ticks in calls, by their own clocks %.1f\n", c, t, t * truth / 100
			exit !(t > 20 && c <= t * truth / 100 + slack) }' flat >told
	ok $? "$hz Hz, $2 processes of $1 threads${3:+, $3}: the calls' share is what they use" || {
		diag_file flat
		diag_file said
		diag_file stats
	}
	cat told
}

# THREADS PROCESSES, of which all together use the time of one of 600 ms and 60 ms more for each.
for how in '2 1' '1 4' '8 1' '16 4' '2 1 sleep' '1 4 sleep' '8 1 sleep' '16 4 sleep' '1 4 poll' '4 1 yield'; do
	# shellcheck disable=SC2086 # words
	crowd 100 $((600 / ${how%% *} + 60)) $how
done
for how in '1 2' '4 1' '8 8'; do
	# shellcheck disable=SC2086
	crowd 1000 60 $how
done
done_testing
