#!/bin/sh
# Ticks: none for who sleeps, none lost where no signal may be queued, and most find a program that is alone.
# check-all: numbers of samples
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/hold.sh"

# How often a thread has waited.
waits() {
	awk '$1 == "voluntary_ctxt_switches:" { print $2 }' "/proc/$1/status"
}

has_waited() {
	[ "$(waits "$supervisor")" -gt "$before" ]
}

# most_of_its_time: the program of the last run was not kept from its CPU: else it runs on before it is found.
most_of_its_time() {
	[ "$(statistic watched_ns stats)" -lt $(($(statistic cpu_ns stats) * 13 / 10)) ]
}

# of_watched: that, as figures.
of_watched() {
	echo "$(statistic samples stats) samples of $(statistic ticks stats) ticks, $(statistic cpu_ns stats) ns of CPU time in $(statistic watched_ns stats)"
}

cp "$(target hold)" prog
for sampler in $(samplers); do
	rm -f gmon.*
	hold_start . profsup -q --sampler="$sampler" -F 4000 ./prog 0
	supervisor=$(supervisor_of "$pid")
	began=$(date +%s%N)
	before=$(waits "$supervisor")
	wait_until 60 has_waited
	sleep 1
	between $(($(waits "$supervisor") - before)) 1 $((400 * ($(date +%s%N) - began) / 1000000000)) \
		"$sampler, 4000 Hz: a program that sleeps is looked at now and then"
	hold_end
	is "$status $(all_calls prog "$name")" '0  work=12345' "$sampler: and is profiled as ever"
done

# Where no signal may be queued, ticks come all the same.
cp "$(target work)" work
for sampler in $(samplers); do
	rm -f gmon.*
	prlimit --sigpending=0 profsup -q --stats=stats --sampler="$sampler" -F 1000 ./work busy 500 >out
	read -r _ _ _ _ cpu _ <out
	used=$((cpu / 1000000))
	between $(($(ticks "$(the_file work)") + $(statistic unseen_ticks stats))) $((used * 9 / 10 - 15)) $((used * 11 / 10 + 15)) \
		"$sampler: the ticks come all the same"
	if [ "$(statistic samples stats)" -lt $((used / 4)) ] && ! most_of_its_time; then
		undecided "$sampler: and of samples enough" "$(of_watched)"
	else
		between "$(statistic samples stats)" $((used / 4)) $((used * 2)) "$sampler: and of samples enough"
	fi
done

# Alone on the only CPU that there is for it, a program is found by most ticks.
cpu=$(taskset -cp $$ | sed 's/.*[:,-] *//')
for _ in 1 2 3; do
	rm -f gmon.*
	taskset -c "$cpu" profsup -q --stats=stats --sampler=ptrace -F 100 ./work busy 1000 >out 2>err
	found=$(statistic samples stats) all=$(statistic ticks stats)
	[ $((found * 2)) -le "$all" ] || break
done
if [ $((found * 2)) -le "$all" ] && ! most_of_its_time; then
	undecided 'ptrace: a program alone on its CPU is found by most ticks' "$(of_watched)"
else
	between "$found" $((all / 2 + 1)) $((all * 2)) 'ptrace: a program alone on its CPU is found by most ticks'
fi

# A file that is due is no tick.
began=$(date +%s%N)
profsup -q --stats=stats --every=0.02 ./work cpu 500 >out
between "$(statistic samples stats)" 3 100 "--every: a snapshot's time is nobody's stop"
between "$(statistic files stats)" 10 $((($(date +%s%N) - began) / 20000000 + 1)) '--every: and the files are written'

# all_waits PID: how often its threads have, together.
all_waits() {
	cat "/proc/$1"/task/*/status | awk '$1 ~ /voluntary_ctxt_switches:$/ { n += $2 } END { print n }'
}

# Beside so many others a program mostly waits for a CPU, where most ticks would find nothing: they come less often.
i=0
while [ $i -lt 20 ]; do
	perl -e 'my $parent = getppid; while (getppid == $parent) { 1 for 1 .. 1e6 }' &
	i=$((i + 1))
done
profsup -q --sampler=ptrace -F 1000 ./work busy 600000 >out 2>err &
run=$!
is_at_work() {
	pid=$(pgrep -x -f "./work busy 600000")
}
wait_until 60 is_at_work
supervisor=$(supervisor_of "$pid")
sleep 3
before=$(all_waits "$supervisor") began=$(date +%s%N)
sleep 4
between $(($(all_waits "$supervisor") - before)) 1 $((800 * ($(date +%s%N) - began) / 1000000000)) \
	'beside 20 loops, 1000 Hz: a program that waits is looked at less often'
kill "$pid" 2>/dev/null
wait "$run"
done_testing
