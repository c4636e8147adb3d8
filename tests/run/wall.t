#!/bin/sh
# --wall: where threads wait, by stack and system call, and nobody who sleeps notices.
# check-all: times, as measured
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target waits)" prog
cp "$(target work)" other

# time_of NAME: what the program itself says of that, s.
time_of() {
	awk -v name="$1" '$1 == name { sum += $2 } END { print sum }' out
}

# blocked_in REGEXP: s in the stacks that match, by the file.
folded() {
	profsup-export -q --format=folded --type="$1" ./prog gmon.prog.*.out >"$1"
}
blocked_in() {
	awk -v what="$1" '$0 ~ what { sum += $NF } END { printf "%.6f\n", sum / 1e9 }' "${2:-blocked}"
}

# near GOT WANT PERCENT DESCRIPTION [MORE]: so near, and MORE s
near() {
	awk -v got="$1" -v want="$2" -v part="$3" -v more="${5:-0}" 'BEGIN { d = got - want; exit !((d < 0 ? -d : d) <= want * part / 100 + more) }'
	ok $? "$4" || diag "$1, not $2${5:+ by $5}"
}

# seconds NAME: of --stats
seconds() {
	awk -v name="\"$1\":" '$1 == name { print $2 / 1e9 }' stats
}

# doubt: a thread that is kept from its CPU on its way to the call blocks for so much less, and of two calls between two looks each
# has half of the time.
doubt() {
	awk -v runnable="$(seconds runnable_ns)" -v shared="$(seconds blocked_shared_ns)" -v unseen="$(seconds blocked_unseen_ns)" \
		'BEGIN { print runnable + (shared + unseen) / 2 }'
}

# within_doubt GOT LOW HIGH DESCRIPTION: it is, but for that and 5 %; with more doubt than a quarter of it the run says nothing.
within_doubt() {
	within_told="got $1, want $2 to $3, of which $doubt s are in doubt"
	if awk -v doubt="$doubt" -v low="$2" 'BEGIN { exit doubt <= low / 4 }'; then
		undecided "$4" "$within_told"
	else
		awk -v got="$1" -v low="$2" -v high="$3" -v doubt="$doubt" 'BEGIN { exit !(got >= 0.95 * low - doubt && got <= 1.05 * high + doubt) }'
		ok $? "$4" || diag "$within_told"
	fi
}

# These sleep nearly all of their time: beside each other.
for sampler in $(samplers); do
	mkdir "$sampler"
	cp prog "$sampler"
	(cd "$sampler" && exec profsup -v --wall --sampler="$sampler" --stats=stats ./prog 20 >out 2>err) &
	echo $! >"$sampler/pid"
done
mkdir sleepers
cp prog sleepers
(cd sleepers && exec profsup -q -g --stats=stats ./prog many 1000 3000 >out) &
sleepers=$!
mkdir six any
cp prog six
(cd six && exec profsup -v --wall --stats=stats ./prog 5 6 >out 2>err) &
six=$!
${CC:-cc} -D_GNU_SOURCE -O2 -g -pthread -fno-optimize-sibling-calls -fomit-frame-pointer -o any/any "$top/tests/targets/plain/waits.c" 2>err ||
	diag_file err
(cd any && exec profsup -q -a --wall --stats=stats ./any 10 >out) &
any=$!
traced=
if command -v strace >/dev/null; then
	strace -o trace -T -e trace=clock_nanosleep,read,futex,poll ./prog 20 >out &
	traced=$!
fi
for sampler in $(samplers); do
	cd "$sampler" || bail "$sampler"
	wait "$(cat pid)"
	is "$? $(awk '/^wrong/' out)" '0 wrong 0' "$sampler: no call fails or comes back early"
	doubt=$(doubt)
	folded blocked && folded runnable && folded wall
	# A call of 100 ms is blocked for 100 ms, or somewhat longer where others have the CPU; then it waits for that.
	while read -r by call seconds; do
		blocked=$(blocked_in "main;wait_in_turn;$by;.*\\[$call\\] [0-9]*$")
		within_doubt "$blocked" "$seconds" "$(time_of "$by")" "$sampler: $by has blocked in $call for so long"
	done <<-EOF
		by_nap clock_nanosleep 2
		by_read read 1.2
		by_futex futex 1
		by_poll poll 1.6
	EOF
	near "$(blocked_in . wall)" "$(time_of wall)" 1 "$sampler: what is in the file comes to the program's time" "$(seconds runnable_ns)" || diag_file wall
	sed -n 's/.*: thread [0-9]*: \([0-9.]*\) s: \([0-9.]*\) s of CPU time, \([0-9.]*\) s waiting for a CPU, \([0-9.]*\) s blocked$/\1 \2 \3 \4/p' err >line
	near "$(awk '{ print $1 }' line)" "$(time_of wall)" 1 "$sampler: a thread's time is told" "$(seconds runnable_ns)"
	near "$(awk '{ print $2 + $3 + $4 }' line)" "$(time_of wall)" 1 "$sampler: it is the sum of its parts" "$(seconds runnable_ns)"
	near "$(awk '{ print $2 }' line)" "$(time_of cpu)" 3 "$sampler: the CPU time is that of the thread's own clock"
	grep -q 'all threads: [0-9.]* s = [0-9.]* s of CPU time + [0-9.]* s waiting for a CPU + [0-9.]* s blocked ([0-9.]* % shared out, 0.0 % not seen)$' err
	ok $? "$sampler: the summary tells the sum" || diag_file err
	what="$sampler: most of it was seen from one look to the next" shared=$(($(statistic blocked_shared_ns stats) * 100 / $(statistic blocked_ns stats)))
	if [ $shared -gt 50 ] && [ "$(statistic runnable_ns stats)" -gt $(($(statistic wall_cpu_ns stats) / 2)) ]; then
		undecided "$what" "$shared % was not, and it waited for a CPU for $(seconds runnable_ns) s"
	else
		between $shared 0 50 "$what"
	fi
	cd ..
	last=$sampler
done

if [ -n "$traced" ]; then
	wait "$traced"
	perl -ne '$sum{$1} += $2, $all += $2 if /^(\w+)\(.*<([\d.]+)>$/; END { print "all $all\n", map { "$_ $sum{$_}\n" } keys %sum }' trace >shares
	# It has each call with the time in which the thread waits for a CPU, which is what there is beyond 5.8 s.
	doubt=$(awk -v ours="$(cd "$last" && doubt)" '$1 == "all" { print ours + $2 - 5.8 }' shares)
	for call in clock_nanosleep read futex poll; do
		blocked=$(awk -v call=$call '$1 == call { print $2 }' shares)
		within_doubt "$(blocked_in "\\[$call\\] [0-9]*$" "$last/blocked")" "$blocked" "$blocked" "strace -T has the same time of $call"
	done
else
	skip 'strace is not installed'
fi

# Threads, each by itself.
cd six || bail six
wait "$six"
is "$(awk '/^wrong/ { n += $2 } END { print n }' out)" 0 'six threads: no call fails or comes back early'
sed -n 's/.*: thread [0-9]*: \([0-9.]*\) s: \([0-9.]*\) s of CPU time, \([0-9.]*\) s waiting for a CPU, \([0-9.]*\) s blocked$/\1 \2 \3 \4/p' err >parts
is "$(wc -l <parts)" 7 'six threads: each has a line'
doubt=$(doubt)
awk -v doubt="$doubt" '{ d = $1 - $2 - $3 - $4; bad += (d < 0 ? -d : d) > $1 / 100 + doubt } END { exit bad > 0 }' parts
ok $? 'six threads: the time of each is the sum of its parts' || diag_file parts
folded blocked
within_doubt "$(blocked_in by_nap)" 3 "$(time_of by_nap)" 'six threads: they have blocked for so long'
cd ..

# Sleepers.  All that is done to find them costs them nothing.
rm -f gmon.* stacks.*
wait "$sleepers"
./prog many 1000 3000 >alone
profsup --wall --stats=stats ./prog many 1000 3000 >out 2>err
# Some wait for a lock of the kernel's at their start, alone, too; who is woken for a look leaves its CPU once more for each.
near "$(sed -n 's/^switches //p' out)" "$(sed -n 's/^switches //p' alone)" 20 'a thousand sleepers: they leave their CPUs as often as alone'
is "$(grep early out)" 'early 0' 'a thousand sleepers: none comes back early'
folded blocked
doubt=$(doubt)
within_doubt "$(blocked_in 'sleep_once;.*nanosleep\] [0-9]*$')" 3000 3000 'a thousand sleepers: all their sleep is there'
between "$(statistic own_cpu_ns stats)" 0 $((5 * $(statistic own_cpu_ns sleepers/stats))) 'a thousand sleepers: it costs little beside what they cost without it'

# Files as without it, for programs that know nothing of waits.
rm -f gmon.* stacks.*
profsup --wall -F 1000 ./prog 5 >out 2>said
profsup-report ./prog gmon.prog.* >report 2>err
is "$? $(cat err)" '0 ' 'profsup-report reads the file'
profsup-export -q --format=folded ./prog gmon.prog.* >cpu
near "$(awk -v not_seen="$(not_seen said)" '{ sum += $NF } END { print (sum + not_seen) / 1000 }' cpu)" "$(time_of cpu)" 20 'its stacks of CPU time are those of CPU time'
is "$(grep -c 'nanosleep\]\|\[read\]\|\[waiting\|\[blocked' cpu)" 0 'and have none of the waits'
for format in pprof html json svg; do
	profsup-export -q --format=$format --type=blocked -o to ./prog gmon.prog.* 2>err && [ -s to ]
	ok $? "$format: it has room for blocked time" || diag_file err
done

# Other ways to run.
cd any || bail any
wait "$any"
is "$? $(awk '/^wrong/' out)" '0 wrong 0' '-a: no call of any program fails'
profsup-export -q --format=folded --type=blocked ./any gmon.any.*.out >blocked
doubt=$(doubt)
within_doubt "$(blocked_in 'main;wait_in_turn;by_nap;.*\[clock_nanosleep\] ')" 1 "$(time_of by_nap)" '-a: where it has slept is seen' || diag_file blocked
cd ..
profsup -a -F 1000 --stats=stats sh -c "i=0; while [ \$i -lt 200000 ]; do i=\$((i + 1)); done; exec true" 2>err
between "$(statistic dropped_ticks stats)" 1 "$(statistic ticks stats)" 'the time that an exec drops is told' || diag_file err
rm -f gmon.* stacks.*
others_begin
profsup -a --wall sh -c 'sleep 0.2; exec sleep 0.1' 2>err
grep -qE ', [1-9][0-9]* profiles? with [0-9.]+ s dropped at an exec' err
among_others $? '-a: an image that has only waited is missed after an exec' 'without a look at it nobody knows that it has waited' || diag_file err
rm -f gmon.* stacks.*
others_begin
profsup -q --wall --sum --every=300ms ./prog 4 2 >out
# It sleeps for 1.16 s, and longer where others have its CPU.
is "$(echo stacks.prog.pb.gz stacks.prog.snap[1-3].pb.gz)" 'stacks.prog.pb.gz stacks.prog.snap1.pb.gz stacks.prog.snap2.pb.gz stacks.prog.snap3.pb.gz' '--sum, --every: snapshots have stacks'
profsup-export --format=folded --type=wall ./prog gmon.prog.out 2>err >wall
is "$(cat err)" 'profsup-export: folded: no room for the number of calls; the numbers are nanoseconds' '--type: it is said what numbers are'
grep -v clockjoin wall >threads
# What a thread waits for a CPU before its first look at the clock, and after its last one, it does not say.
own=$(time_of wall)
between_others "$(blocked_in . threads)" "$(echo "$own" | awk '{ print $1 * 0.97 }')" "$(echo "$own" | awk '{ print $1 * 1.03 }')" \
	'--sum, --every: the last file has all that threads have waited' || diag_file wall
profsup-export -q --format=folded --type=wall ./prog gmon.prog.snap2.out >wall
between "$(blocked_in wait_in_turn wall | tr -d .)" 600000 3000000 '--every: a snapshot has what was until then'
rm -f gmon.* stacks.*
./prog 12 >out &
pid=$!
# It sleeps: its runtime has started.
wait_until 60 sh -c "grep -q prog /proc/$pid/comm && grep -q '^State:.S' /proc/$pid/status"
profsup -q --wall --duration=1 -p $pid
wait $pid
is "$(awk '/^wrong/' out)" 'wrong 0' '-p: no call of a process that ran already fails'
folded wall
near "$(blocked_in . wall)" "$(perl "$top/tests/lib/stacks.pl" time stacks.prog.* | awk '{ print $2 / 1e9 }')" 5 '-p: the time is that of the profile'

# The run's last line is a command that shows where threads waited.
rm -f gmon.* stacks.*
profsup --wall ./prog 3 >out 2>err
sed -n 's/^profsup: where threads waited: //p' err >words
reader sh <words >report 2>err
is "$? $(wc -l <words) $(cat err)" '0 1 ' 'the command of the last line shows it' || diag_file report
folded blocked
grep -q "^prog: $(awk '{ sum += $NF } END { printf "%.3f", sum / 1e9 }' blocked) s of blocked time in all threads, [0-9]* calls; 1 file of " report
ok $? 'profsup-report --type: the head says how much time of what kind it is' || diag_file report
# Columns: share, that of the total, seconds, calls, self/call, total/call
grep -q '^ *self  *total blocked s  *calls self/call  total/call  function$' report
ok $? 'so does the heading' || diag_file report
for name in by_nap by_read by_futex by_poll; do
	near "$(awk -v name=$name -v all="$(blocked_in .)" '$NF == name { print $2 * all / 100 }' report)" "$(blocked_in ";$name;")" 2 "flat: $name has its blocked time"
done
near "$(awk '$NF == "[clock_nanosleep]" { print $3 }' report)" "$(blocked_in 'nanosleep\] [0-9]*$')" 1 'flat: the system call has it itself'
profsup-report --type=blocked --graph=wait_in_turn ./prog gmon.prog.* >report
is "$(grep -c 'total s blocked s  *calls  function' report)" 1 'graph: its heading says so, too'
near "$(awk '$NF == "by_nap" { print $2 }' report)" "$(blocked_in ';by_nap;')" 1 'graph: below its caller is what it has waited'
profsup-report --type=blocked --lines=wait_in_turn ./prog gmon.prog.* >report
near "$(awk '$NF == "(wait_in_turn)" { sum += $3 } END { print sum }' report)" "$(blocked_in ';wait_in_turn;')" 1 'lines: a line has what was waited in what it calls' || diag_file report
profsup-report --type=blocked --source="$top" --annotate=wait_in_turn ./prog gmon.prog.* >report
near "$(awk '$4 ~ /^[0-9]+$/ { sum += $2 } END { print sum }' report)" "$(blocked_in ';wait_in_turn;')" 1 'annotate: so it is in the source' || diag_file report
folded runnable && folded wall
for type in runnable wall; do
	profsup-report --type=$type ./prog gmon.prog.* >report
	is "$(grep -c "^ *self  *total  *$type s  *calls" report)" 1 "--type=$type has its heading"
	# Each row is rounded to a millisecond.
	awk -v want="$(blocked_in . $type)" '/%/ { sum += $3; rows++ }
		END { d = sum - want; exit !((d < 0 ? -d : d) <= want * 0.02 + rows * 0.0005) }' report
	ok $? "--type=$type: so much it is" || diag_file report
done
is "$(profsup-report --type=cpu ./prog gmon.prog.*)" "$(profsup-report ./prog gmon.prog.*)" '--type=cpu is what is shown without it'
is "$(profsup-report ./prog gmon.prog.* | tail -n 1)" '--type=blocked shows where threads waited' 'which says what there is beside it'

mkdir x.pb.gz
profsup --wall -o x ./prog 3 >out 2>err
is "$(grep -c '/x\.pb\.gz: ' err) $(grep -c 'where threads waited' err)" '1 0' 'no line leads to stacks that could not be written' || diag_file err
rmdir x.pb.gz

# What can't be had.
rm -f gmon.* stacks.*
profsup -q -g ./prog 1 >out
is "$(profsup-export --format=folded --type=blocked ./prog gmon.prog.* 2>&1)" \
	"profsup-export: $(echo stacks.prog.*): only profsup --wall writes how long threads wait" 'a file without waits is refused'
is "$(profsup-report --type=blocked ./prog gmon.prog.* 2>&1)" \
	"profsup-report: $(echo stacks.prog.*): only profsup --wall writes how long threads wait" 'by profsup-report, too'
is "$(profsup-report ./prog gmon.prog.* | grep -c type=)" 0 'which does not name what there is not'
is "$(profsup-report --type=x ./prog gmon.prog.* 2>&1)" \
	'profsup-report: --type=x: must be cpu, blocked, runnable or wall (--help shows the options)' 'and knows the same words'
is "$(profsup-report --type=wall --no-stacks ./prog gmon.prog.* 2>&1)" \
	'profsup-report: --type=wall: what is not made of stacks has CPU time only (--help shows the options)' '--no-stacks leaves nothing to show'
is "$(profsup-export --format=perf --type=wall -o to ./prog gmon.prog.* 2>&1)" \
	'profsup-export: --type=wall: perf has CPU time only (--help shows the options)' 'so is a format without room for them'
is "$(profsup-export --format=folded --type=x ./prog gmon.prog.* 2>&1)" \
	'profsup-export: --type=x: must be cpu, blocked, runnable or wall (--help shows the options)' 'and what is no kind of time'
rm -f stacks.*
is "$(profsup-report --type=wall ./prog gmon.prog.* 2>&1)" \
	'profsup-report: no file of stacks is beside a gmon file; profsup --wall writes such figures into them' 'and a file without stacks'
done_testing
