# What the accuracy tests share: `work` knows where its CPU time went, and the file must say the same.
#
# shellcheck shell=sh
# shellcheck source=../lib/testlib.sh
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target work)" work

# judge SAMPLER HZ OUTSIDE WHAT: each line of `out` against its process's file.  At most OUTSIDE percent of the samples
# may be in no work function, and each share may lack that part of it.  A sample is a random draw: 4 standard deviations
# are allowed, of as many draws as there were ticks, or stops, which the kernel's tick limits to 250 a second for a thread
# on another CPU, and no more than there were samples, which a run's processes share.  CPU time that was not seen, since
# profsup itself got no CPU, is told, and in no file.
# The time of a system call is read()'s, the stub that makes it, or from glibc 2.41 on of what the stub calls.
judge() {
	processes=$(wc -l <out)
	while read -r _ pid a b cpu s; do
		file=gmon.work.$pid.out
		gprof -b -p ../work "$file" 2>/dev/null | awk -v n="$(ticks "$file")" -v hz="$2" -v outside="$3" \
			-v not_seen="$(not_seen err)" -v samples="$(samples_told err)" -v processes="$processes" \
			-v a="$a" -v b="$b" -v s="$s" -v cpu="$cpu" '
			function within(got, want, allowed, what) {
				d = got - want
				bad = d > allowed || -d > allowed
				printf "%d %s: got %s, want %s within %s\n", bad, what, got, want, allowed
			}
			function deviations(p) { return 100 * 4 * sqrt(p * (1 - p) / (draws + 1)) }
			function share(name, got, ns) {
				within(got, 100 * ns / cpu, 3 + outside * ns / cpu + deviations(ns / cpu), "share of " name)
			}
			{ percent[$NF] = $1 }
			END {
				draws = hz > 250 ? n * 250 / hz : n
				if (samples / processes < draws)
					draws = samples / processes
				in_a = percent["A"]; in_b = percent["B"]
				in_s = percent["S"] + percent["read"] + percent["__libc_read"] + percent["__internal_syscall_cancel"] + \
					percent["__syscall_cancel"] + percent["__syscall_cancel_arch"]
				lacks = cpu / 1e9 - n / hz
				seen = n + (lacks > 0 ? not_seen < lacks * hz ? not_seen : lacks * hz : 0)
				within(seen / hz, cpu / 1e9, 0.02 * cpu / 1e9 + 0.01 + 4 * sqrt(n) / hz, "ticks are the CPU time")
				share("A", in_a, a); share("B", in_b, b); share("S", in_s, s)
				p = outside / 100
				within(100 - in_a - in_b - in_s, 0, outside + 100 * 4 * sqrt(p / (draws + 1)), "outside of the work functions")
			}' >points
		while read -r bad point; do
			ok "$bad" "$1 at $2 Hz, $4: ${point%%: got *}" || diag "${point#*: }"
		done <points
		[ -s points ] || ok 1 "$1 at $2 Hz, $4: $file is judged"
	done <out
}

# samples_told FILE: as many as the summary in it says there were.
samples_told() {
	sed -n 's/^profsup: .* \([0-9]*\) samples\{0,1\} (.*/\1/p' "$1"
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
		exec profsup --sampler="$start_sampler" -F "$start_hz" $by ../work "$@" >out 2>err
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
		is "$? $(said err)" '0 ' "$sampler at $hz Hz, $words: it runs" && judge "$sampler" "$hz" "$outside" "$words"
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
