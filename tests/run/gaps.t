#!/bin/sh
# While the supervisor has no CPU nobody knows where the program is: that time is told, and is in no bin.
# check-all: CPU time, as measured
. "$(dirname "$0")/../lib/testlib.sh"

# cpu_used: the target's CPU time, in hundredths of a second.  (How the kernel divides it into user and system time is chance.)
cpu_used() {
	echo $(($(stat_field "$target" 12) + $(stat_field "$target" 13)))
}

# has_used TICKS: since $before.
has_used() {
	[ "$(cpu_used)" -ge $((before + $1)) ]
}

# make_a_gap CONDITION WORDS OPTION...: the program by these words, whose supervisor is stopped until the condition holds, in
# $gap ms; the program uses $used hundredths of a second meanwhile.
make_a_gap() {
	condition=$1 words=$2
	shift 2
	rm -f gmon.*
	# shellcheck disable=SC2086 # words
	profsup --stats=stats "$@" ./prog $words >out 2>err &
	front=$!
	wait_until 60 pgrep -P $front -x prog
	target=$(pgrep -P $front -x prog)
	wait_until 60 test -n "$(supervisor_of "$target")"
	supervisor=$(supervisor_of "$target")
	kill -STOP $front # which would have it go on at once
	kill -STOP "$supervisor"
	began=$(date +%s%N)
	before=$(cpu_used)
	wait_until 60 "$condition"
	gap=$((($(date +%s%N) - began) / 1000000))
	used=$(($(cpu_used) - before))
	kill -CONT "$supervisor"
	kill -CONT $front
	wait $front
}

has_ended() {
	is_stopped "$target"
}

has_used_70_or_ended() {
	has_used 70 || has_ended
}

# run_with_a_gap OPTION...: for the time of 70 ticks of 100 a second.  On a busy machine that may find the program in one of our
# stops, or at its end: then it is made once more, up to twenty times.  (No gap is shorter than 70 ticks.)
run_with_a_gap() {
	for _ in $(seq 20); do
		make_a_gap has_used_70_or_ended 'cpu 2500' "$@"
		status=$?
		[ $gap -lt 650 ] || [ "$(statistic longest_stop_ns stats)" -gt 300000000 ] || break
	done
	return "$status"
}

cp "$(target work)" prog
run_with_a_gap --sampler=ptrace -F 100
is $? 0 'a supervisor that got no CPU for the time of 70 ticks, of 250: the program ends as ever'
unseen=$(statistic unseen_ticks stats)
# Others may keep it from its CPU, too.
between "$unseen" 60 230 'those ticks are counted'
between "$(($(statistic gaps_ns stats) / 1000000))" $((gap - 50)) $(($(statistic watched_ns stats) / 1000000)) 'and their time'
read -r _ _ _ _ cpu _ <out
between "$(($(ticks "$(the_file prog)") + unseen))" $((cpu / 10000000 - 15)) $((cpu / 10000000 + 15)) \
	'with them the file has all of the CPU time'
grep -q "profsup got no CPU for [1-9][0-9] % of the time: the shares are unreliable" err
ok $? 'who runs it is told' || diag_file err

# Until the program's end, where the last sample would have all of it; and of one that sleeps in between.
for words in 'cpu 1000' 'timer 1500 2'; do
	# On a busy machine it may have ended before that.
	for _ in $(seq 20); do
		make_a_gap has_ended "$words" --sampler=ptrace -F 100
		[ $used -lt 20 ] || break
	done
	between "$(statistic unseen_ticks stats)" $((used - 10)) $((used + 30)) "$words: of a gap until the end, $used ticks are told as not seen"
	grep -q "profsup got no CPU for [1-9][0-9]* % of the time: the shares are unreliable" err
	ok $? "$words: and who runs it is told" || diag_file err
done

# A supervisor that gets a CPU now and then has no gaps; but each sample stands for several ticks.
profsup --sampler=ptrace --stats=stats -F 100 ./prog cpu 1500 >out 2>err &
front=$!
wait_until 60 pgrep -P $front -x prog
target=$(pgrep -P $front -x prog)
wait_until 60 test -n "$(supervisor_of "$target")"
kill -STOP $front
# In a stop of ours it would wait for us.
perl -e 'my ($supervisor, $target) = @ARGV;
	for (;;) {
		kill STOP => $supervisor; select undef, undef, undef, 0.04;
		kill CONT => $supervisor; select undef, undef, undef, 0.003;
		open my $stat, "<", "/proc/$target/stat" or last;
		last if <$stat> =~ /\) [ZX] /;
	}' "$(supervisor_of "$target")" "$target"
kill -CONT $front
wait $front
late=$(statistic late_ticks stats)
if [ $(($(statistic gaps_ns stats) * 20)) -gt "$(statistic watched_ns stats)" ]; then
	undecided 'of ticks that are late who runs it is told' 'there were gaps'
else
	grep -Eq "^profsup: $late of [0-9]+ ticks were late: a share may be off by ([6-9]|[1-9][0-9]) points \(less load(, root's priority)? or a longer run helps\)" err
	ok $? 'of ticks that are late who runs it is told' || diag_file err
fi

# With perf samples wait in a ring, where stacks soon find no room.
case $(samplers) in
*perf*)
	run_with_a_gap --sampler=perf -g -F 1000
	between "$(statistic unseen_ticks stats)" 400 2500 'perf: the ticks of 0.7 s whose samples found no room are counted'
	read -r _ _ _ _ cpu _ <out
	between "$(($(ticks "$(the_file prog)") + $(statistic unseen_ticks stats) + $(statistic outside_ticks stats)))" \
		$((cpu / 1000000 - 100)) $((cpu / 1000000 + 100)) 'perf: with them the file has all of the CPU time'
	grep -q "^profsup: [1-9][0-9]* % of the samples found no room: the shares are unreliable" err
	ok $? 'perf: who runs it is told' || diag_file err
	;;
esac

rm -f gmon.*
profsup --sampler=ptrace --stats=stats -F 100 ./prog busy 500 >out 2>err
if [ "$(statistic gaps_ns stats)" -gt 0 ]; then
	undecided 'and not of a run without such a gap' "$(statistic gaps_ns stats) ns without a CPU"
else
	is "$(grep -c 'profsup got no CPU' err)" 0 'and not of a run without such a gap'
fi
done_testing
