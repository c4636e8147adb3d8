#!/bin/sh
# prove.sh [--beside] ARGUMENT...: prove with these arguments.  With --beside, files that sleep nearly all of their time (see
# below) are run one after the other beside the rest, and what they say is printed when they are done.
#
# With PROFSUP_TEST_AGAIN=2, as in CI, the files that fail are run once more, one at a time, and then those that fail
# again.  On a machine that is busy with something else a test of signals, terminals or statistics can fail for want of a
# CPU, and of some thousand statistical points one fails by chance; what fails three times has found something.  All runs
# are printed.
#
# Alone also means that neither something else here nor the machine's host takes its CPUs.  That is waited for, but not
# for more than two minutes.
set -u
state=$(mktemp) || exit 1
trap 'rm -f "$state" "$state.beside" "$state.out"' EXIT
trap 'exit 1' INT TERM HUP

# cpu_times: "TAKEN IDLE" of all CPUs since boot, in ticks; the host takes them, too.
cpu_times() {
	awk '$1 == "cpu" { print $2 + $3 + $4 + $7 + $8 + $9, $5 + $6 }' /proc/stat
}

wait_for_quiet() {
	for _ in $(seq 24); do
		before=$(cpu_times)
		sleep 5
		printf '%s %s\n' "$before" "$(cpu_times)" |
			awk '{ taken = $3 - $1; exit taken > (taken + $4 - $2) / 10 }' && return
	done
}

# Those that use less than half of a CPU, and measure no time or share, in the order in which they run.  More beside two busy
# ones would make others' statistics worse: so hostile/memory, whose attackers use what they can get, comes first, when the
# others are unit tests, and those that use more than a quarter come last, when accuracy/ is over.
sleepers='hostile/memory hostile/ptrace hostile/silent-own hostile/suid-memory install/completions run/eintr
	run/job-control run/progress run/stop-and-go run/delay'

# prove_to STATEFILE ARGUMENT...
prove_to() {
	prove_state=$1
	shift
	prove --failures --comments --state=save --statefile="$prove_state" "$@"
}

# again STATEFILE: what has failed, alone.  After "Bail out!" it knows of none.
again() {
	[ -n "$(prove --state=failed --statefile="$1" --dry)" ] || return 1
	for _ in $(seq "${PROFSUP_TEST_AGAIN:-0}"); do
		wait_for_quiet
		echo '=== once more, alone: what has failed'
		prove --state=failed,save --statefile="$1" -j1 -v && return
	done
	return 1
}

beside=
if [ "${1:-}" = --beside ]; then
	shift
	for name in $sleepers; do
		for word; do
			[ "${word#tests/}" != "$name.t" ] || beside="$beside $word"
		done
	done
	n=$#
	while [ "$n" -gt 0 ]; do
		word=$1
		shift
		case "$beside " in
		*" $word "*) ;;
		*) set -- "$@" "$word" ;;
		esac
		n=$((n - 1))
	done
fi
if [ -n "$beside" ]; then
	{
		# shellcheck disable=SC2086 # words
		prove_to "$state.beside" --timer $beside >"$state.out" 2>&1
		beside_status=$?
		cat "$state.out"
		exit $beside_status
	} &
	others=$!
fi
prove_to "$state" "$@"
status=$?
beside_status=0
if [ -n "$beside" ]; then
	wait "$others"
	beside_status=$?
fi
[ "$beside_status" -eq 0 ] || { again "$state.beside" && beside_status=0; }
[ "$status" -eq 0 ] || { again "$state" && status=0; }
[ "$status" -ne 0 ] || status=$beside_status
exit "$status"
