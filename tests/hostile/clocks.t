#!/bin/sh
# A program in a time namespace, where the clocks that count from the boot stand hours or days elsewhere: its time, its snapshots,
# the window and the names of its files are as ever.
# check-all: shares and times, as measured
. "$(dirname "$0")/../lib/testlib.sh"
need_root
unshare --time true 2>/dev/null || skip_all 'needs time namespaces'

cp "$(target work)" prog
uptime=$(awk '{ print int($1) }' /proc/uptime)

# elsewhere OFFSET OPTION...: leaves $seen, the CPU time of the profile in percent of the program's own.
elsewhere() {
	elsewhere_by=$1
	shift
	rm -rf dir stats
	mkdir dir
	timeout 60 profsup --timeline -F 1000 -d dir -o '%n.%t.out' --stats=stats "$@" unshare --time --monotonic "$elsewhere_by" \
		--boottime "$elsewhere_by" --fork ./prog cpu 600 >out 2>err
	is "$?" 0 "$what: the program ends"
	own=$(awk '$1 == "work" { print $5 }' out)
	seen=$(awk -v s="$(statistic cpu_ns stats)" -v o="$own" 'BEGIN { print 100 * s / o }')
}

# said_in_time WHAT TEXT OPTION...: the program runs until that is said, which is 0.2 s later, and not a million.
said_in_time() {
	what="by $1"
	text=$2
	shift 2
	before=$(date +%s%N)
	profsup -v -d dir "$@" unshare --time --monotonic "$by" --boottime "$by" --fork ./prog busy 120000 >out 2>err &
	front=$!
	wait_until 60 grep -q "$text" err
	ok $? "$what: the time ends" || diag_file err
	between $((($(date +%s%N) - before) / 1000000)) 200 100000 "$what: not before it should"
	pkill -KILL -P "$(pgrep -P $front -x unshare)"
	wait $front
}

for by in 1000000 -$((uptime / 2)); do
	what="by $by s"
	before=$(date +%s)
	elsewhere "$by" --every=0.2
	between "$seen" 70 130 "$what: the time is the program's"
	between "$(statistic watched_ns stats)" "$((own / 2))" "$(((($(date +%s) - before) + 2) * 1000000000))" \
		"$what: and what was watched no longer than it ran"
	between "$(find dir -name '*.snap*.out' | wc -l)" 1 $((5 * ($(date +%s) - before + 2))) "$what: snapshots come when they are due"
	file=$(find dir -name 'prog.*.out' ! -name '*snap*')
	started=$(echo "$file" | sed 's/.*prog\.\([0-9]*\)\.out/\1/')
	between "$started" "$before" "$(date +%s)" "$what: the file has the time of day at which the program started"
	drawn "$file.pb.gz"
	likely "$(gprof -b -p prog "$file" | awk '$NF == "A" { print $1 }')" 63 70 "$what: the shares are the program's"

	said_in_time "$by, --duration" 'the time is over' --duration=0.2
	said_in_time "$by, -D" 'profile starts' -D 200
done
done_testing
