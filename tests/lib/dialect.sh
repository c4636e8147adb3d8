# The programs tests/targets/dialect/dialect-*.c, static and dynamic, under both samplers.  Source it after testlib.sh.
#
# shellcheck shell=sh

# build_both NAME [FLAGS]: ./static, with the runtime, and ./dynamic, of tests/targets/dialect/dialect-NAME.c.
build_both() {
	both_name=$1
	# shellcheck disable=SC2154 # testlib.sh sets it
	both_src=$top/tests/targets/dialect/dialect-$1.c
	cp "$(target "dialect-$1")" static
	# shellcheck disable=SC2046,SC2154 # words
	gcc -O2 -g -w -I"$stage/include" $(sed -n 's|^// CFLAGS: ||p' "$both_src") -o dynamic "$both_src" \
		-L"$stage/lib/profsup" -lprofil -lm -pthread >build.out 2>&1 || {
		diag_file build.out
		bail "dialect-$1.c can't be linked dynamically"
	}
}

# points FILE PREFIX [SUMMARY]: what a program has found out, as points of ours.  All ticks that are lacking must be among
# those that the summary says were not seen, or were late and found their thread outside of the text.  A call may only have
# given up if ./stats says that profsup had no CPU for so long, and what is off may be chance if others had the CPUs: for a
# third of the $took ns that it ran.  With decides=calls only what no number of samples says is decided.
took=0
decides=all
points() {
	points_unseen=$(not_seen "${3:-/dev/null}")
	points_gaps=
	points_cpu=
	if [ -s stats ]; then
		points_gaps=$(statistic gaps_ns stats) points_cpu=$(statistic cpu_ns stats)
		points_late=$(printf '%s\n' "$(statistic late_ticks stats)" "$(statistic outside_ticks stats)" | sort -n | head -n 1)
		points_unseen=$((points_unseen + points_late))
	fi
	while IFS='	' read -r word what; do
		[ $decides = all ] || case $word in
		'too few by '* | 'gave up' | off)
			undecided "$2$what" "$word"
			continue
			;;
		esac
		case $word in
		ok) ok 0 "$2$what" ;;
		"too few by "*)
			points_unseen=$((points_unseen - ${word##* }))
			ok "$((points_unseen < 0))" "$2$what" || diag "$word"
			;;
		'gave up')
			if [ "${points_gaps:-0}" -ge 300000000 ]; then
				undecided "$2$what" "profsup had no CPU for $points_gaps ns"
			else
				ok 1 "$2$what" || diag "a call has given up, and profsup had no CPU for ${points_gaps:-?} ns"
			fi
			;;
		off)
			if [ "${points_cpu:-$took}" -lt $((took * 2 / 3)) ]; then
				undecided "$2$what" "$points_cpu ns of CPU time in $took"
			else
				ok 1 "$2$what"
			fi
			;;
		'not ok') ok 1 "$2$what" ;;
		*) diag "$word $what" ;;
		esac
	done <"$1"
	took=0
}

# samplers_for HOW: where the calls come from is one matter and who samples is another: each of both has its run, and
# PROFSUP_TEST_LONG=1 all pairs.
samplers_for() {
	case $1 in
	static) rounds "$(samplers | head -n 1)" "$(samplers)" ;;
	*) rounds "$(samplers | tail -n 1)" "$(samplers)" ;;
	esac
}

# each_way WORD...: every program with these, under the samplers_for it, at 1000 Hz.
# shellcheck disable=SC2120 # none or some
each_way() {
	for how in static dynamic; do
		for sampler in $(samplers_for $how); do
			rm -f gmon.*
			took=$(date +%s%N)
			timeout -s KILL 300 profsup -F 1000 --stats=stats --sampler="$sampler" "./$how" "$@" >out 2>err
			status=$?
			took=$(($(date +%s%N) - took))
			points out "$both_name, $how, $sampler: " err
			is "$status $(said err)" '0 ' "$both_name, $how, $sampler: all of it was done, and profsup has nothing to say" ||
				diag_file out
		done
	done
}
