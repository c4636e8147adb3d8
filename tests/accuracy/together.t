#!/bin/sh
# Threads and processes that begin together and use two and a half ticks of CPU time each: all of them have their first tick
# early, or late, and together they have what they have used.
# check-all: shares and sums of CPU time, as measured
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target together)" together
for sampler in $(samplers); do
	for what in threads processes; do
		rm -f gmon.*
		profsup -q --sampler="$sampler" --stats=stats -F 100 ./together "$what" 100 25 >out 2>err
		is $? 0 "$sampler, 100 $what: the program ends as ever"
		cpu=$(($(cat out) / 10000))
		# That a process of 100 ends takes up to 0.2 ms after its last look at its clock.
		between $(($(statistic ticks stats) + $(statistic unseen_ticks stats))) $((cpu - 6)) $((cpu + 4)) \
			"$sampler, 100 $what: they have as many ticks together as CPU time"
		all=$(statistic outside_ticks stats)
		for file in gmon.*; do
			all=$((all + $(ticks "$file")))
		done
		is "$all" "$(statistic ticks stats)" "$sampler, 100 $what: all ticks are in the files" || { diag_file err; }
	done
done

# On crowded CPUs there are few samples, and what they are worth is told: no less, and to nobody else.
profsup --sampler=ptrace --stats=stats -F 1000 ./together processes 30 60 >out 2>err
samples=$(statistic samples stats) late=$(statistic late_ticks stats) ticks=$(statistic ticks stats)
told=$(sed -n "s/^profsup: \\([0-9]*\\) of $ticks ticks were late: a share may be off by [1-9][0-9]* points .*/\\1/p" err)
if grep -q 'profsup got no CPU' err || [ $((samples * 10)) -ge "$ticks" ]; then
	late=$told # with more samples it may be told, or not
fi
is "$told" "$late" "with $samples samples for $ticks ticks the run says so" || diag_file err
done_testing
