#!/bin/sh
# In a crowd, samples are where the CPU time is used, and not where the scheduler takes the CPU away: in a call.
# check-all: shares and sums of CPU time, as measured
. "$(dirname "$0")/../lib/testlib.sh"
# shellcheck source=tests/lib/proclib.sh
. "$top/tests/lib/proclib.sh"

cp "$(target crowded)" prog

# Where threads are in a group of their own, as containers' and services' are, a supervisor without real-time priority is one
# of many that want the CPU; elsewhere its session may count as much as theirs.
in_group=
group=
for group in /sys/fs/cgroup/cpu/profsup-test.$$ /sys/fs/cgroup/profsup-test.$$; do
	{ mkdir "$group" && sh -c "echo \$\$ >$group/cgroup.procs"; } 2>/dev/null && in_group="in_group $group" && break
	rmdir "$group" 2>/dev/null
done
grouped=$in_group
trap 'rmdir "$group" 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

# in_group DIRECTORY COMMAND...: as one of that group, in a shell of its own.
in_group() (
	echo 0 >"$1/cgroup.procs"
	shift
	exec "$@"
)

# crowd HZ MS THREADS PROCESSES [BETWEEN]: the share of the calls is theirs, within 2 % and chance.  The standard deviation is
# no more than half of sqrt(n), whatever the share is: four of them are allowed, and twice as many where samples are few and
# stand for very different times, in a group; with `few` set, those of a share of 3 %, as a program has that is not crowded.
few=
crowd() {
	hz=$1 ms=$2
	shift 2
	rm -f gmon.* stats
	# shellcheck disable=SC2086 # a word or none
	truth=$($in_group profsup -v --sampler=ptrace --stats=stats --sum -F "$hz" ./prog "$1" "$2" "$ms" ${3:+"$3"} 2>said)
	gprof -b -p ./prog gmon.prog.out >flat 2>/dev/null
	awk -v few="$few" -v grouped="$in_group" -v hz="$hz" -v truth="$truth" -v samples="$(sed -n 's/.*"samples": *\([0-9]*\).*/\1/p' stats)" 'NR > 3 && NF >= 4 { t += $3 * hz; if ($NF ~ /^(ask|syscall|leave|nanosleep|poll|sched_yield|__.*(nanosleep|poll|sched_yield))$/) c += $3 * hz }
		END { n = samples < t ? samples : t; slack = 0.02 * t + 4 * sqrt(few ? 0.03 * n : grouped != "" ? n : n / 4) * t / (n ? n : 1)
			printf "# %d of %d ticks in calls, by their own clocks %.1f; %d samples\n", c, t, t * truth / 100, samples
			exit !(t > 20 && samples > t / 200 && c <= t * truth / 100 + slack) }' flat >told
	ok $? "$hz Hz, $2 processes of $1 threads${3:+, $3}${in_group:+, by $in_group}: the calls' share is what they use" || {
		diag_file flat
		diag_file said
		diag_file stats
	}
	cat told
}

in_group=
# THREADS PROCESSES, of which all together use the time of one of 400 ms and 40 ms more for each; four processes, which have
# samples enough, half of that.
for how in '2 1' '1 4' '8 1' '16 4' '2 1 sleep' '1 4 sleep' '8 1 sleep' '16 4 sleep' '1 4 poll' '4 1 yield'; do
	# shellcheck disable=SC2086 # words
	case $how in
	*' 4'*) crowd 100 $((200 / ${how%% *} + 20)) $how ;;
	*) crowd 100 $((400 / ${how%% *} + 40)) $how ;;
	esac
done
crowd 1000 60 1 2
crowd 1000 60 4 1
crowd 1000 30 8 8
in_group=$grouped
[ -n "$in_group" ] || diag "no group can be made here: the same once more"
crowd 100 100 16 4
crowd 1000 60 8 8

# A thread that runs alone is interrupted from another CPU, where there is no real-time priority.  On its way to the stop it
# may come to a system call.
few=1
in_group=
[ "$(id -u)" -ne 0 ] || in_group='setpriv --reuid 65534 --regid 65534 --clear-groups'
crowd 100 3000 1 1
done_testing
