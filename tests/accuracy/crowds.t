#!/bin/sh
# In a crowd, samples are where the CPU time is used, and not where the scheduler takes the CPU away: in a call.
# check-all: shares and sums of CPU time, as measured
. "$(dirname "$0")/../lib/testlib.sh"

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

# crowd HZ MS THREADS PROCESSES [BETWEEN]: the share of the calls is theirs, within 2 % and chance.  A sampler that finds who
# waits for a CPU has half of its samples there, and more.
likely_most=40
crowd() {
	hz=$1 ms=$2
	shift 2
	rm -f gmon.* stacks.*
	# shellcheck disable=SC2086 # a word or none
	truth=$($in_group profsup -v --sampler=ptrace --timeline -F "$hz" ./prog "$1" "$2" "$ms" ${3:+"$3"} 2>said)
	gprof -b -p ./prog gmon.prog.* >flat 2>/dev/null
	drawn stacks.prog.*
	likely "$(awk 'NR > 3 && NF >= 4 { t += $3; if ($NF ~ /^(ask|syscall|leave|nanosleep|poll|sched_yield|__.*(nanosleep|poll|sched_yield))$/) c += $3 }
		END { print t ? 100 * c / t : "none" }' flat)" 0 "$(echo "$truth" | awk '{ print $1 + 2 }')" \
		"$hz Hz, $2 processes of $1 threads${3:+, $3}${in_group:+, by $in_group}: the calls' share is what they use" || {
		diag_file flat
		diag_file said
	}
}

in_group=
# THREADS PROCESSES, of which all together use the time of one of 800 ms and 40 ms more for each; four processes, which have
# samples enough, half of that.
for how in '2 1' '1 4' '8 1' '16 4' '2 1 sleep' '1 4 sleep' '8 1 sleep' '16 4 sleep' '1 4 poll' '4 1 yield'; do
	# shellcheck disable=SC2086 # words
	case $how in
	*' 4'*) crowd 100 $((400 / ${how%% *} + 20)) $how ;;
	*) crowd 100 $((800 / ${how%% *} + 40)) $how ;;
	esac
done
crowd 1000 100 1 2
crowd 1000 60 4 1
crowd 1000 30 8 8
in_group=$grouped
[ -n "$in_group" ] || diag "no group can be made here: the same once more"
crowd 100 100 16 4
crowd 1000 60 8 8

# Where the group may use only so much CPU time, all ticks behind that are late.  Without a group nothing is.
cp "$(target work)" limited
limit_file=$([ -e "$group/cpu.max" ] && echo cpu.max || echo cpu.cfs_quota_us) # it takes the quota, and a period after that
[ -z "$group" ] || echo 30000 >"$group/$limit_file" ||
	diag "the group has no limit: nothing is late"
for how in 'busy 1500' 'threads 1500 4'; do
	rm -f gmon.* stacks.*
	# shellcheck disable=SC2086 # words
	$in_group profsup --sampler=ptrace --stats=stats -F 1000 ./limited $how >out 2>said
	cpu=$(awk '{ print int($5 / 1000000) }' out)
	all=$(($(ticks "$(the_file limited)") + $(statistic outside_ticks stats) + $(statistic unseen_ticks stats)))
	between "$all" $((cpu - cpu / 50 - 20)) $((cpu + cpu / 50 + 20)) "$how, by a group with a limit: the CPU time is in the file, or told as not seen"
done

# A thread that runs alone is interrupted from another CPU, where there is no real-time priority.  On its way to the stop it
# may come to a system call.
in_group=
[ "$(id -u)" -ne 0 ] || in_group='setpriv --reuid 65534 --regid 65534 --clear-groups'
crowd 100 3000 1 1
done_testing
