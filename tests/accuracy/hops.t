#!/bin/sh
# A thread that goes from CPU to CPU has its samples, and each CPU's function its share.
# check-all: shares and sums of CPU time, as measured
. "$(dirname "$0")/../lib/testlib.sh"

[ "$(nproc)" -gt 1 ] || skip_all 'there is one CPU'
cp "$(target hopper)" prog

# hops HZ MS
hops() {
	rm -f gmon.*
	truth=$(profsup -q --sampler=ptrace --stats=stats --sum -F "$1" ./prog "$2")
	ticks=$(statistic ticks stats) samples=$(statistic samples stats)
	# One that others keep from its CPUs has gone on before it has been found.
	part=2
	[ "$(statistic watched_ns stats)" -lt "$(($(statistic cpu_ns stats) * 13 / 10))" ] || part=20
	[ "$samples" -ge $((ticks / part)) ]
	ok $? "$1 Hz: one in $part ticks at the least has a sample" || diag "$samples of $ticks"
	gprof -b -p ./prog gmon.prog.out >flat 2>/dev/null
	awk -v hz="$1" -v truth="$truth" -v samples="$samples" '$NF == "work_here" { h = $3 * hz } $NF == "work_there" { t = $3 * hz }
		END { n = h + t; slack = 0.05 * n + 4 * n / sqrt(samples); d = h - n * truth / 100
			printf "# %d of %d, by its own clock %.1f\n", h, n, n * truth / 100
			exit !(n > 20 && d < slack && d > -slack) }' flat >told
	ok $? "$1 Hz: each has its share" || diag_file flat
	cat told
}

hops 100 1000
hops 1000 500
done_testing
