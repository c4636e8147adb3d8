# What must hold after profsup has had a crowd (tests/crowd/crowd.pl).  Source it after testlib.sh.
#
# shellcheck shell=sh
# shellcheck disable=SC2154 # testlib.sh sets top

# need_crowd: skips the whole test where there can be no namespace to lock it in.
need_crowd() {
	if [ "$(id -u)" -eq 0 ]; then
		unshare --pid --fork --kill-child --mount-proc true 2>/dev/null
	else
		unshare --pid --fork --kill-child --mount-proc -Ur true 2>/dev/null
	fi || skip_all 'needs PID namespaces'
}

# crowds SECONDS: for so long in all, with each sampler that can be had.
crowds() {
	cp "$(target crowd)" crowd
	crowd_seed=${SOAK_SEED:-$(date +%s)}
	crowd_length=$(($1 / $(samplers | wc -l)))
	crowd_rounds=$((crowd_length / 60))
	diag "SOAK_SECONDS=$1 SOAK_SEED=$crowd_seed"
	for sampler in $(samplers); do
		crowd "$sampler" "$crowd_length" $((crowd_rounds > 2 ? crowd_rounds : 2)) "$crowd_seed"
	done
}

# crowd SAMPLER SECONDS ROUNDS SEED
crowd() {
	rm -rf files
	# shellcheck disable=SC2154 # testlib.sh sets it
	perl "$top/tests/crowd/crowd.pl" "$@" >told
	is "$?" 0 "$1: a crowd of 200 processes and 200 threads (seed $4)"
	grep '^#' told
	got ended
	is "$got" all "$1: it comes to its end"
	got rounds
	is "$got" "$3" "$1: all $3 times that it comes and goes"
	got status
	is "$got" 0 "$1: the first process ends as it would alone"
	got said failed inexact
	is "$got" '0 0 0' "$1: nothing is said, and nothing fails in the crowd"
	got lives
	between "$got" 200 100000000 "$1: $got processes have lived"
	got handled
	between "$got" 1 100000000 "$1: they handle signals"
	got missing extra strange
	is "$got" '0 0 0' "$1: each has exactly one file"
	got wrong
	is "$got" 0 "$1: with its own calls, every one"
	got unreadable gprof
	is "$got" '0 0' "$1: gprof reads them all, and adds up the same calls"
	got temporary left
	is "$got" '0 none' "$1: no temporary file is left, and no process"
	told_is files files_told "$1: so many files are told of"
	got images_low images_high
	# shellcheck disable=SC2086 # two numbers
	between "$(sed -n 's/^processes //p' told)" $got "$1: and so many processes and new images of them"
	got ticks ticks_told
	# shellcheck disable=SC2086 # two numbers
	between ${got% *} 1 ${got#* } "$1: there are samples, in the files no more than told"
	told_is fds_last fds_first "$1: the supervisor has no more descriptors at the end than after the first time"
	got memory_first
	between "$(sed -n 's/^memory_last //p' told)" 1 $((got + got / 4 + 3072)) \
		"$1: nor noticeably more memory (KB; after the first time $got)"
}

# got NAME...: their values, in $got.
got() {
	got=
	for name; do
		got="$got${got:+ }$(sed -n "s/^$name //p" told)"
	done
}

# told_is NAME NAME DESCRIPTION: two values are the same, and there.
told_is() {
	got "$1"
	told_one=$got
	got "$2"
	is "$told_one" "${got:-not told}" "$3"
}
