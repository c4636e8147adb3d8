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
	timeout 60 profsup -d dir -o '%n.%t.out' --stats=stats "$@" unshare --time --monotonic "$elsewhere_by" \
		--boottime "$elsewhere_by" --fork ./prog cpu 600 >out 2>err
	is "$?" 0 "$what: the program ends"
	own=$(awk '$1 == "work" { print $5 }' out)
	seen=$(awk -v s="$(statistic cpu_ns stats)" -v o="$own" 'BEGIN { print 100 * s / o }')
}

for by in 1000000 -$((uptime / 2)); do
	what="by $by s"
	before=$(date +%s)
	elsewhere "$by" --every=0.2
	between "$seen" 70 130 "$what: the time is the program's"
	between "$(statistic watched_ns stats)" "$((own / 2))" "$(((($(date +%s) - before) + 2) * 1000000000))" \
		"$what: and what was watched no longer than it ran"
	between "$(find dir -name '*.snap*' | wc -l)" 1 $((5 * ($(date +%s) - before + 2))) "$what: snapshots come when they are due"
	file=$(find dir -name 'prog.*.out' ! -name '*snap*')
	started=$(echo "$file" | sed 's/.*prog\.\([0-9]*\)\.out/\1/')
	between "$started" "$before" "$(date +%s)" "$what: the file has the time of day at which the program started"
	# Two thirds, within chance, which has as many samples as there were stops.
	chance=$(awk -v n="$(statistic samples stats)" 'BEGIN { print 400 * sqrt(2 / 9 / (n ? n : 1)) }')
	between "$(gprof -b -p prog "$file" | awk '$NF == "A" { print $1 }')" "$(awk -v c="$chance" 'BEGIN { print 66.7 - c - 3 }')" \
		"$(awk -v c="$chance" 'BEGIN { print 66.7 + c + 3 }')" "$what: the shares are the program's"

	what="by $by s, --duration"
	elsewhere "$by" --duration=0.2
	between "$seen" 1 60 "$what: the profile ends before the program"
	what="by $by s, -D"
	elsewhere "$by" -D 200
	between "$seen" 10 95 "$what: the profile begins later than the program"
done
done_testing
