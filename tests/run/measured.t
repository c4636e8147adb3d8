#!/bin/sh
# What other files here leave out, since it is measured: that the time of a run, or of a part of it, is in its files.
# check-all: numbers of samples
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/steps.sh"
others_begin

cp "$(target attach)" attach
cp "$(target eintr)" eintr
cp "$(target profil-calls)" registered
cp "$(target stacks)" stacks
cp "$(target work)" work
trap 'kill -9 ${pid:-} ${front:-} 2>/dev/null; cd /; rm -rf "$scratch"' EXIT

for sampler in $(samplers); do
	# summary.t
	rm -f gmon.* stats
	profsup --sampler="$sampler" -F 1000 --stats=stats ./work threads 300 2 >out 2>err
	cpu=$(awk '{ print $5 }' out)
	between_others "$(statistic cpu_ns stats)" "$(awk -v c="$cpu" 'BEGIN { printf "%.0f", c * 0.98 - 4e6 * sqrt(c / 1e6) - 1e7 }')" \
		"$(awk -v c="$cpu" 'BEGIN { printf "%.0f", c * 1.02 + 4e6 * sqrt(c / 1e6) + 1e7 }')" \
		"$sampler: the summary's CPU time is what the program says it has used"
	between_others "$(statistic samples stats)" 20 "$(($(statistic ticks stats) + 100 * $(statistic stops stats)))" "$sampler: and so are the samples"

	# eintr.t: 12 kinds, 12 waits, 3 ms of CPU time for each: 432 samples and as many waits right behind a sample.
	rm -f gmon.*
	timeout --foreground 60 profsup --sampler="$sampler" -F 1000 ./eintr all 12 >out 2>err
	between_others "$(ticks "$(the_file)")" 216 900 "$sampler: programs that wait are sampled between their waits"

	# top.t: what it says of A at its last view is no more than the file has in the end, and the most of it.
	rm -f gmon.*
	profsup --sampler="$sampler" --top -F 1000 ./work tree 1700 >out 2>err
	pid=$(awk '{ print $2; exit }' out)
	last=$(grep "work $pid: .*% now.*: A\$" err | tail -n 1)
	seconds=$(gprof -b -p work "gmon.work.$pid.out" 2>/dev/null | awk '$NF == "A" { print $3 }')
	between_others "$(echo "$last" | sed 's/.* of all, \([0-9.]*\) s.*/\1/')" "$(awk -v s="$seconds" 'BEGIN { print s / 5 }')" "$(awk -v s="$seconds" 'BEGIN { print s + 0.006 }')" \
		"$sampler, --top: A's seconds so far"
	# How much of it is A's is the machine's matter; that the share is the one of the seconds is ours.
	grep "work $pid: .*% now" err | awk -v share="$(echo "$last" | sed 's/.* now, \([0-9.]*\)% of all.*/\1/')" '
		{ s = $0; sub(/.* of all, /, "", s); all[$2] += s; if (/: A$/) { last = $2; a = s } }
		END { exit !(last && share == share + 0 && share - 100 * a / all[last] < 1 && 100 * a / all[last] - share < 1) }'
	ok $? "$sampler, --top: and its share" || diag_file err

	# report.t: a function that recurses has a stack once.
	profsup -q -g --sampler="$sampler" --report -F 1000 ./stacks dear >out 2>err
	between_others "$(awk '$NF == "main" { print $2 + 0 }' err)" 95 100 "$sampler, -g: main has its time with what it called" || diag_file err
	between_others "$(awk '$NF == "dear" { d = $2 } $NF == "burn" { b = $2 } END { print d - b }' err)" -2 1 "$sampler, -g: the dear caller all of its"
	profsup -q -g --sampler="$sampler" --report -F 1000 ./stacks deep >out 2>err
	between_others "$(awk '$NF == "deep" { print $2 + 0 }' err)" 90 100 "$sampler, -g: recursion counts once" || diag_file err

	# delay.t.  400 ms of 1,500 in two threads, if they run all the time.
	rm -f gmon.*
	profsup -F 1000 --sampler="$sampler" -D 200 --duration 0.4 ./work threads 1500 2 >out 2>err
	what="$sampler: -D and --duration: the time is that of the part" used=$(awk '{ print int($5 / 1000000) }' out)
	if [ "$(nproc)" -lt 2 ] || [ "$used" -lt 2400 ]; then
		undecided "$what" "$(ticks "$(the_file)") ticks; the program had its CPUs for $used of 3000 ms"
	else
		between_others $(($(ticks "$(the_file)") + $(not_seen err))) 150 1800 "$what"
	fi

	# attach.t.  7 of 80 ms at 1000 Hz, of which only six burn; some of it in the vDSO's clock.
	rm -f gmon.* steps.in out err
	mkfifo steps.in
	steps=0
	./attach <steps.in >out 2>&1 &
	exec 8>steps.in
	pid=$(ready_pid out)
	step 'threads 6'
	profsup -v -F 1000 -p "$pid" --sampler="$sampler" 2>err &
	front=$!
	will_say ': attached, '
	step 'call 10000' 'burn 80' still
	kill $front
	wait $front
	outside=$(sed -n 's/.* \([0-9]*\) outside of the text.*/\1/p' err)
	between_others $(($(ticks "$(the_file)") + ${outside:-0} + $(not_seen err))) 390 610 "$sampler: -p: the time of threads is in the file"
	kill -9 "$pid"
done

# top.t
rm -f gmon.* stacks.*
profsup -g --top -F 1000 ./work busy 1700 >out 2>err
between_others "$(sed -n 's/.* of all, \([0-9.]*\)% with callees.*: A$/\1/p' err | tail -n 1)" 20 100 '-g --top: the time with callees is more than nothing'

# five-errors.t: 0.3 s each in one(), two() and three().
rm -f gmon.*
profsup -F 1000 ./registered one null:0:0:-1 two calls=1000 rt:=:32768:-1 three calls=77 >out 2>err
file=$(the_file registered)
self_of() {
	gprof -b -p -z registered "$file" | awk -v name="$1" '$NF == name { print $3 * 1000 }'
}
between_others "$(self_of one)" 180 450 'profil: time before a stop is counted'
# A pause is seen within 10 ms, and a late sample stands for 20: of 300.
between_others "$(self_of two)" 0 35 'time between is not'
between_others "$(self_of three)" 180 450 'time after the restart is'
gcc -O2 -g -w -I"$stage/include" -I"$top/proto" -o first "$top/tests/targets/runtime/profil-calls.c" -static -DEARLY \
	"$stage/lib/profsup/gcrt0.o" -L"$stage/lib/profsup" -lprofil || bail 'no program'
mkdir sub
profsup ./first own:=:65536:dir one >out 2>err
between_others "$(ticks sub/gmon.first.*.out)" 10 50 "a buffer of the program's own has the samples of its 0.3 s"
done_testing
