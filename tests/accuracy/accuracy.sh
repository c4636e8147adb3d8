# What the accuracy tests share: `work` knows where its CPU time went, and the file must say the same.
#
# shellcheck shell=sh
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target work)" work

# judge SAMPLER HZ OUTSIDE WHAT: each line of `out` against its process's file.  At most OUTSIDE percent of the samples
# may be in no work function, and each share may lack that part of it, but for chance.  CPU time that was not seen, since
# profsup itself got no CPU, is told, and in no file.  The time of a system call is read()'s, the stub
# that makes it, or from glibc 2.41 on of what the stub calls.
calls='S|read|__libc_read|__internal_syscall_cancel|__syscall_cancel|__syscall_cancel_arch'
judge() {
	while read -r _ pid a b cpu s; do
		file=gmon.work.$pid.out
		drawn "stacks.work.$pid.pb.gz"
		what="$1 at $2 Hz, $4"
		gprof -b -p ../work "$file" 2>/dev/null >flat
		awk -v n="$(ticks "$file")" -v hz="$2" -v not_seen="$(not_seen err)" -v cpu="$cpu" 'BEGIN {
			want = cpu / 1e9; lacks = want - n / hz
			seen = n + (lacks > 0 ? not_seen < lacks * hz ? not_seen : lacks * hz : 0)
			d = seen / hz - want; allowed = 0.02 * want + 0.01 + 4 * sqrt(n) / hz
			printf "got %s, want %s within %s\n", seen / hz, want, allowed
			exit d > allowed || -d > allowed }' >told
		ok $? "$what: ticks are the CPU time" || diag_file told
		share A "$a" "$3"
		share B "$b" "$3"
		share "$calls" "$s" "$3"
		likely "$(percent "A|B|$calls" | awk '{ print $1 < 100 ? 100 - $1 : 0 }')" 0 "$3" "$what: outside of the work functions"
	done <out
}

# percent NAMES: what these functions have together.
percent() {
	awk -v names="^($1)\$" '$NF ~ names { n += $1 } END { print n + 0 }' flat
}

# share NAMES NS OUTSIDE: a point.
share() {
	# shellcheck disable=SC2046 # two words
	likely "$(percent "$1")" $(awk -v ns="$2" -v cpu="$cpu" -v outside="$3" 'BEGIN {
		p = ns / cpu
		low = 100 * p - 3 - outside * p; high = 100 * p + 3 + outside * p
		print (low > 0 ? low : 0), (high < 100 ? high : 100) }') "$what: share of ${1%%|*}"
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
		exec profsup --timeline --sampler="$start_sampler" -F "$start_hz" $by ../work "$@" >out 2>err
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
