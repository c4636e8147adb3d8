#!/bin/sh
# prove ARGUMENT...; with PROFSUP_TEST_TWICE=1, as in CI, the files that fail are run once more, one at a time.  On a
# machine that is busy with something else a test of signals, terminals or statistics can fail for want of a CPU; one
# that fails alone as well has found something.  Both runs are printed.
#
# Alone also means that neither something else here nor the machine's host takes its CPUs.  That is waited for, but not
# for more than two minutes.
set -u
state=$(mktemp) || exit 1
trap 'rm -f "$state"' EXIT
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

prove --failures --comments --state=save --statefile="$state" "$@"
status=$?
if [ "$status" -ne 0 ] && [ "${PROFSUP_TEST_TWICE:-}" = 1 ]; then
	# After "Bail out!" it knows of none.
	if [ -n "$(prove --state=failed --statefile="$state" --dry)" ]; then
		wait_for_quiet
		echo '=== once more, alone: what has failed'
		prove --state=failed --statefile="$state" -j1 -v
		status=$?
	fi
fi
exit "$status"
