# What supervisors at real-time priority leave of a CPU.  Source it after testlib.sh; `who_is_there DIRECTORY...` are the
# processes of programs in these, which are all that the test starts.
#
# shellcheck shell=sh
# shellcheck disable=SC2154 # testlib.sh sets scratch

# An ordinary program may be without its CPU for so much longer than natively, or than beside supervisors that have no
# such priority (us), and has so much of its share.
longest_more=20000
least_share=0.5
# The words that take the right to it from a supervisor: eight of them are eight programs more that want the CPU.
without_priority=

# "PID TRACER" of each.
who_is_there() {
	perl -e '
		for my $exe (glob "/proc/[0-9]*/exe") {
			my ($pid) = $exe =~ /(\d+)/;
			my $program = readlink $exe // "";
			next unless grep { index($program, "$_/") == 0 } @ARGV;
			open my $f, "<", "/proc/$pid/status" or next;
			print "$pid ", join("", <$f>) =~ /^TracerPid:\s+(\d+)/m, "\n";
		}' "$@"
}

end_all_of() {
	who_is_there "$@" | while read -r realtime_pid _; do
		kill -KILL "$realtime_pid" 2>/dev/null
	done
}

# There are N of them that are traced, or, if $2 is "alone", at all.
are_there() {
	are_there_n=$1
	are_there_how=$2
	shift 2
	[ "$(who_is_there "$@" | awk -v how="$are_there_how" 'how == "alone" || $2 != 0' | wc -l)" -ge "$are_there_n" ]
}

# The last CPU that we may use.
realtime_cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')

# beside_these SECONDS N HOW DIRECTORY COMMAND...: N of them on one CPU, and an ordinary program on the same.  Leaves
# $had (percent) and $longest (us).
beside_these() {
	these_seconds=$1
	these_n=$2
	these_how=$3
	these_place=$4
	shift 4
	for _ in $(seq "$these_n"); do
		taskset -c "$realtime_cpu" "$@" >/dev/null 2>>"$scratch/these.err" &
	done
	wait_until 60 are_there "$these_n" "$these_how" "$these_place" || diag_file "$scratch/these.err"
	set -- "$(taskset -c "$realtime_cpu" "$(target share)" "$these_seconds")"
	# Some may be on the point of making more.
	until [ -z "$(who_is_there "$these_place")" ]; do
		end_all_of "$these_place"
	done
	wait
	had=$(echo "$1" | sed -n 's/^had \([0-9.]*\) .*/\1/p')
	longest=$(echo "$1" | sed -n 's/.* longest \([0-9]*\)$/\1/p')
}

# left_alone WHAT SECONDS N DIRECTORY PROFSUP... -- COMMAND...: points.  Natively $alone_as are the words that start COMMAND;
# before and after, since others may come and go on this machine; and all of it up to three times, until it is well.
left_alone() {
	what=$1
	seconds=$2
	n=$3
	place=$4
	shift 4
	supervised=
	while [ "$1" != -- ]; do
		supervised="$supervised $1"
		shift
	done
	shift
	# shellcheck disable=SC2034 # chance.sh's
	ours="$place $(target share)"
	others_begin
	for _ in 1 2 3; do
		measure_both "$@"
		diag "$what: native $native_had % of the CPU, without it for $native_longest us at most; supervised $supervised_had %, $supervised_longest us"
		[ "$supervised_longest" -le $((native_longest + longest_more)) ] &&
			awk -v h="$supervised_had" -v l="$native_least" 'BEGIN { exit h + 0 < l + 0 }' && break
	done
	between_others "$supervised_had" "$native_least" 100 \
		"$what: another program has at least half of the CPU time that it has natively"
	between_others "$supervised_longest" 0 $((native_longest + longest_more)) \
		"$what: and is never without it for 20 ms longer than natively"
}

# measure_both COMMAND...: leaves native_ and supervised_had and _longest, and $native_least, which is to be had.
measure_both() {
	half=$(echo "$seconds" | awk '{ print $1 / 2 }')
	# shellcheck disable=SC2086 # words
	beside_these "$half" "$n" alone "$place" $alone_as "$@"
	native_had=$had
	native_longest=$longest
	# shellcheck disable=SC2086 # words
	beside_these "$seconds" "$n" traced "$place" $supervised "$@"
	supervised_had=$had
	supervised_longest=$longest
	# shellcheck disable=SC2086 # words
	beside_these "$half" "$n" alone "$place" $alone_as "$@"
	native_had=$(printf '%s\n' "$had" "$native_had" | sort -n | head -n 1)
	native_longest=$(printf '%s\n' "$longest" "$native_longest" | sort -n | tail -n 1)
	native_least=$(awk -v h="$native_had" -v s=$least_share 'BEGIN { print h * s }')
	[ -n "$without_priority" ] || return
	# shellcheck disable=SC2086 # words
	beside_these "$half" "$n" traced "$place" $without_priority $supervised "$@"
	diag "$what: beside supervisors without the priority $had %, $longest us"
	native_longest=$(printf '%s\n' "$longest" "$native_longest" | sort -n | tail -n 1)
}
