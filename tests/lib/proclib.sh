# Processes and how they end.  testlib.sh has it.
#
# shellcheck shell=sh

# how_it_ended COMMAND...: "exit N" or "signal N", and " core" if one was dumped.
how_it_ended() {
	perl -e 'system { $ARGV[0] } @ARGV;
		print $? & 127 ? "signal " . ($? & 127) : "exit " . ($? >> 8), $? & 128 ? " core" : "", "\n"' -- "$@"
}

# stat_field PID N: field N of /proc/PID/stat, counted from the state as 1 (2 is the parent, 3 the process group).
# It is asked again and again: by the shell itself.
stat_field() {
	stat_line=
	{ read -r stat_line <"/proc/$1/stat"; } 2>/dev/null
	# shellcheck disable=SC2086 # words
	set -- "$2" ${stat_line##*) }
	[ $# -gt "$1" ] || return 0
	shift "$1"
	printf '%s\n' "$1"
}

# as_a_job FILE: the test itself, anew, as a shell with job control would start it: in a process group whose parent is
# in the same session and another group.  Otherwise SIGTSTP and its like stop nobody.
as_a_job() {
	[ -z "${PROFSUP_TEST_IS_A_JOB:-}" ] || return 0
	# shellcheck disable=SC2154 # testlib.sh sets it
	cd / && rm -rf "$scratch"
	# shellcheck disable=SC2016 # Perl
	PROFSUP_TEST_IS_A_JOB=1 exec setsid -w perl -MPOSIX -e '
		my $pid = fork // die;
		if ($pid == 0) { setpgid(0, 0); exec "sh", @ARGV or die }
		waitpid $pid, 0;
		exit($? & 127 ? 128 + ($? & 127) : $? >> 8)' "$1"
}

state_is() {
	[ "$(stat_field "$1" 1)" = "$2" ]
}

# A stop seen through a tracer is "t".
is_stopped() {
	case $(stat_field "$1" 1) in
	[Tt]) return 0 ;;
	esac
	return 1
}

is_going() {
	case $(stat_field "$1" 1) in
	[RSD]) return 0 ;;
	esac
	return 1
}

is_gone() {
	case $(stat_field "$1" 1) in
	'' | Z | X) return 0 ;;
	esac
	return 1
}

# wait_for PID: what wait returns; after two minutes it is killed.
wait_for() {
	wait_until 120 is_gone "$1" || {
		diag "process $1 has not ended"
		kill -KILL "$1"
	}
	wait "$1"
}

# Its process group is its terminal's.
is_foreground() {
	[ "$(stat_field "$1" 3)" = "$(stat_field "$1" 6)" ]
}

supervisor_of() {
	awk '$1 == "TracerPid:" { print $2 }' "/proc/$1/status"
}

is_traced() {
	[ "$(supervisor_of "$1")" != 0 ]
}

is_free() {
	[ "$(supervisor_of "$1")" = 0 ]
}

# ready_pid FILE: waits for the line "ready PID" and prints the number.
ready_pid() {
	wait_until 60 grep -q '^ready [0-9]' "$1"
	sed -n 's/^ready \([0-9][0-9]*\).*/\1/p' "$1" | head -n 1
}

# all_calls PROGRAM FILE: " NAME=CALLS" for each function called ..._work or work.
all_calls() {
	gprof -b -p -z "$1" "$2" 2>/dev/null |
		awk 'NF == 7 && $NF ~ /work$/ && $4 > 0 { print " " $NF "=" $4 }' | sort | tr -d '\n'
}

# files_are N: that many gmon files are here.
files_are() {
	set -- "$1" gmon.*.out
	[ -f "$2" ] || set -- "$1"
	[ $# -eq $(($1 + 1)) ]
}

# samplers: those that can be had here.
samplers() {
	echo ptrace
	if profsup -q -d . --sampler=perf true 2>/dev/null; then
		echo perf
	fi
}
