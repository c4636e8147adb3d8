# What the accuracy tests share: `work` knows where its CPU time went, and the file must say the same.
#
# shellcheck shell=sh
# shellcheck source=../tap/testlib.sh
. "$(dirname "$0")/../tap/testlib.sh"

cp "$(target work)" work

# percent PROGRAM FILE FUNCTION: its share of the file's time, as gprof has it.
percent() {
	gprof -b -p -z "$1" "$2" 2>/dev/null | awk -v name="$3" '$NF == name { print $1; found = 1; exit }
		END { if (!found) print 0 }'
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
		file=$(echo gmon.work."$pid".out)
		n=$(ticks "$file")
		draws=$(awk -v n="$n" -v hz="$2" 'BEGIN { print hz > 250 ? n * 250 / hz : n }')
		within "$(awk -v n="$n" -v hz="$2" 'BEGIN { print n / hz }')" \
			"$(awk -v c="$cpu" 'BEGIN { print c / 1e9 }')" \
			"$(awk -v c="$cpu" -v n="$n" -v hz="$2" 'BEGIN { print 0.02 * c / 1e9 + 0.01 + 4 * sqrt(n) / hz }')" \
			"$what: ticks are the CPU time"
		for f in A B S; do
			truth=$(awk -v f=$f -v a="$a" -v b="$b" -v s="$s" -v c="$cpu" \
				'BEGIN { print 100 * (f == "A" ? a : f == "B" ? b : s) / c }')
			share=$(percent work "$file" $f)
			# The time of a system call is read()'s, the stub that makes it.
			[ $f != S ] || share=$(awk -v x="$share" -v y="$(percent work "$file" read)" \
				-v z="$(percent work "$file" __libc_read)" 'BEGIN { print x + y + z }')
			within "$share" "$truth" "$(awk -v p="$truth" -v n="$draws" \
				'BEGIN { p /= 100; print 3 + 100 * 4 * sqrt(p * (1 - p) / (n + 1)) }')" "$what: share of $f"
		done
		other=$(awk -v a="$(percent work "$file" A)" -v b="$(percent work "$file" B)" \
			-v s="$(percent work "$file" S)" -v r="$(percent work "$file" read)" \
			-v l="$(percent work "$file" __libc_read)" 'BEGIN { print 100 - a - b - s - r - l }')
		within "$other" 0 "$(awk -v o="$3" -v n="$draws" 'BEGIN { print o + 100 * 4 * sqrt(o / 100 / (n + 1)) }')" \
			"$what: outside of the work functions"
	done <out
	rm -f gmon.*.out
}

# accurate SAMPLER HZ OUTSIDE WORD...; started by the words in $by, if any.
by=
accurate() {
	sampler=$1
	hz=$2
	outside=$3
	shift 3
	# shellcheck disable=SC2086 # words
	profsup -q --sampler="$sampler" -F "$hz" $by ./work "$@" >out 2>err
	is "$? $(cat err)" '0 ' "$sampler at $hz Hz, $by $*: it runs" || return
	judge "$sampler" "$hz" "$outside" "$by $*"
}
