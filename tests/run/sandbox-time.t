#!/bin/sh
# What sandbox.t leaves out: a program in a sandbox has its time, and where it was used.
# check-all: shares of CPU time, as measured
. "$(dirname "$0")/../lib/sandbox.sh"

export SANDBOX_LONGER=1

# The part of the program's time that a function had.
part_of() {
	gprof -b -p -z "$1" "$2" 2>/dev/null | awk -v name="$3" '
		$NF == name { part = $1 / 100 }
		END { print part + 0 }'
}

# timed NAME TIMES [WORD...]: of sandbox-NAME, which does so many times work()
timed() {
	who="${as:+as a plain user: }$1${3:+, $3}: "
	times=$2
	fresh here "$(target "sandbox-$1")"
	shift 2
	supervised here ./prog "$@"
	has_its_time here/prog "$(the_file_in here)" "$times"
}

check() {
	for name in none seccomp strict; do
		timed $name 1
	done
	for word in as closed fsize nnp nofile; do
		timed limits 1 $word
	done
	timed seccomp 1 violate
	timed strict 1 violate
	timed threads 4
	# unseen() runs as long as all the rest; what it may have is a tick until the supervisor looks,
	# more on a busy machine.
	timed moncontrol 4
	between "$(part_of here/prog "$(the_file_in here)" unseen)" 0 0.1 "${who}the time between the two is not sampled"
}

mkdir -m 755 jail
check
[ "$(id -u)" -ne 0 ] || timed chroot 1 ../jail 65534
if unshare -Ur true 2>/dev/null; then
	who='userns: '
	fresh here "$(target sandbox-userns)"
	: >pid && chmod 666 pid
	supervised here ./prog ../pid
	has_its_time here/prog "$(the_file_in here "$(cat pid)")"
fi
# Ticks that come faster than a program is asked that has not paused before.
fresh fast "$(target sandbox-moncontrol)"
(cd fast && profsup -F 2000 ./prog >out 2>err)
between "$(part_of fast/prog "$(the_file_in fast)" unseen)" 0 0.1 'moncontrol: 2,000 Hz: nor is it then'
if [ "$(id -u)" -eq 0 ]; then
	as_nobody
	check
fi
done_testing
