# What the accuracy tests share: `work` knows where its CPU time went, and the file must say the same.
#
# shellcheck shell=sh
# shellcheck source=../tap/testlib.sh
. "$(dirname "$0")/../tap/testlib.sh"

cp "$(target work)" work

# percent FUNCTION: its share of the time of the file of which ./flat is gprof's table.
percent() {
	awk -v name="$1" '$NF == name { print $1; found = 1; exit } END { if (!found) print 0 }' flat
}

# within GOT WANT ALLOWED DESCRIPTION
within() {
	awk -v g="$1" -v w="$2" -v a="$3" 'BEGIN { d = g - w; exit !(g != "" && (d < 0 ? -d : d) <= a) }'
	ok $? "$4" || diag "got $1, want $2 within $3"
}

# judge SAMPLER HZ OUTSIDE WHAT: each line of `out` against its process's file.  At most OUTSIDE percent of the samples
# may be in no work function.  A sample is a random draw: 4 standard deviations are allowed, of as many draws as
# there were ticks, or stops, which the kernel's tick limits to 250 a second for a thread on another CPU.
judge() {
	while read -r _ pid a b cpu s; do
		what="$1 at $2 Hz, $4"
		file=gmon.work.$pid.out
		n=$(ticks "$file")
		draws=$(awk -v n="$n" -v hz="$2" 'BEGIN { print hz > 250 ? n * 250 / hz : n }')
		within "$(awk -v n="$n" -v hz="$2" 'BEGIN { print n / hz }')" \
			"$(awk -v c="$cpu" 'BEGIN { print c / 1e9 }')" \
			"$(awk -v c="$cpu" -v n="$n" -v hz="$2" 'BEGIN { print 0.02 * c / 1e9 + 0.01 + 4 * sqrt(n) / hz }')" \
			"$what: ticks are the CPU time"
		gprof -b -p ../work "$file" >flat 2>/dev/null
		in_a=$(percent A)
		in_b=$(percent B)
		# The time of a system call is read()'s, the stub that makes it.
		in_s=$(awk -v x="$(percent S)" -v y="$(percent read)" -v z="$(percent __libc_read)" 'BEGIN { print x + y + z }')
		for f in "A $in_a $a" "B $in_b $b" "S $in_s $s"; do
			# shellcheck disable=SC2086 # three words
			set -- "$1" "$2" "$3" "$4" $f
			truth=$(awk -v t="$7" -v c="$cpu" 'BEGIN { print 100 * t / c }')
			within "$6" "$truth" "$(awk -v p="$truth" -v n="$draws" \
				'BEGIN { p /= 100; print 3 + 100 * 4 * sqrt(p * (1 - p) / (n + 1)) }')" "$what: share of $5"
		done
		within "$(awk -v a="$in_a" -v b="$in_b" -v s="$in_s" 'BEGIN { print 100 - a - b - s }')" 0 \
			"$(awk -v o="$3" -v n="$draws" 'BEGIN { print o + 100 * 4 * sqrt(o / 100 / (n + 1)) }')" \
			"$what: outside of the work functions"
	done <out
}

# start SAMPLER HZ OUTSIDE WORD...: a run of its own, by the words in $by, if any, until `judged` waits for it.
by=
runs=0
start() {
	runs=$((runs + 1))
	mkdir run.$runs
	start_sampler=$1 start_hz=$2 start_outside=$3
	shift 3
	(
		cd run.$runs || exit
		# shellcheck disable=SC2086 # words
		exec profsup -q --sampler="$start_sampler" -F "$start_hz" $by ../work "$@" >out 2>err
	) &
	echo "$! $start_sampler $start_hz $start_outside $by $*" >run.$runs/case
}

# judged: what was started is over, and each was right.
judged() {
	i=0
	while [ $i -lt $runs ]; do
		i=$((i + 1))
		cd run.$i || bail run.$i
		read -r pid sampler hz outside words <case
		wait "$pid"
		is "$? $(cat err)" '0 ' "$sampler at $hz Hz, $words: it runs" && judge "$sampler" "$hz" "$outside" "$words"
		cd ..
		rm -r run.$i
	done
	runs=0
}

# accurate SAMPLER HZ OUTSIDE WORD...: one by itself.
accurate() {
	start "$@"
	judged
}
