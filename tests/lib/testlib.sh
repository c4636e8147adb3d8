# TAP for shell, and what every test here needs.  Source it first:
#
#	. "$(dirname "$0")/../lib/testlib.sh"
#
# The current directory is then a fresh one (world-writable, removed at the end), the installed commands are
# first in PATH, and `target NAME` is the path of tests/targets/*/NAME.c, built by profsup-cc.
#
# shellcheck shell=sh
# shellcheck disable=SC2034 # variables are for the tests

set -u

testdir=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$testdir" && while [ ! -f GNUmakefile ]; do cd ..; done && pwd)
stage=${PROFSUP_STAGE:-$top/build/stage}
targets=${PROFSUP_TARGETS:-$top/build/tests/targets}
PATH=$stage/bin:$PATH:/usr/sbin:/sbin
export LC_ALL=C

tap_count=0
tap_failures=0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/profsup-test.XXXXXX") || exit 255
chmod 1777 "$scratch"
cd "$scratch" || exit 255
trap 'cd /; rm -rf "$scratch"' EXIT
trap 'exit 255' INT TERM HUP
# No file waits without an end.  Those of soak/ are long, and others repeat more there.
case ${PROFSUP_TEST_LONG:-0}$testdir in
1* | */soak) limit=14400 ;;
*) limit=1200 ;;
esac
perl "$top/tests/lib/watchdog.pl" $$ "${PROFSUP_TEST_SECONDS:-$limit}" "$scratch" || exit 255

# ok STATUS DESCRIPTION: passes if STATUS is 0.  Use: cmd; ok $? "cmd works"
ok() {
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		printf 'ok %d - %s\n' "$tap_count" "$2"
	else
		printf 'not ok %d - %s\n' "$tap_count" "$2"
		tap_failures=$((tap_failures + 1))
	fi
	return "$1"
}

# is GOT WANT DESCRIPTION: passes if they are the same string.
is() {
	[ "$1" = "$2" ]
	ok $? "$3" || { diag "got:  $1"; diag "want: $2"; return 1; }
}

# between GOT LOW HIGH DESCRIPTION: passes if LOW <= GOT <= HIGH (numbers, decimals allowed).
between() {
	is_between "$1" "$2" "$3"
	ok $? "$4" || { diag "got $1, want $2 to $3"; return 1; }
}

diag() {
	printf '%s\n' "$*" | sed 's/^/# /'
}

diag_file() {
	[ ! -f "$1" ] || sed 's/^/# /' "$1"
}

# said FILE...: what profsup says in them, but for the lines with which it ends a run (tests/lib/usual): what it was, what
# it cost, how to look at it, what would serve better and what the machine has spoiled.
said() {
	cat "$@" | grep -vEf "$top/tests/lib/usual"
}

# reader COMMAND...: runs what reads profiles; it keeps all that it has to its end, which the sanitizers would call leaks.
reader() {
	ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0" "$@"
}

# not_seen FILE: the ticks that the summary in it says are in no bin, since profsup got no CPU.
not_seen() {
	sed -n 's/^profsup: .* \([0-9]*\) not seen.*/\1/p' "$1" 2>/dev/null | awk '{ n += $1 } END { print n + 0 }'
}

. "$top/tests/lib/chance.sh"
. "$top/tests/lib/proclib.sh"

# skip REASON: one point that can't be tested here; in CI (PROFSUP_TEST_MUST_RUN=1) a failure.
skip() {
	tap_count=$((tap_count + 1))
	if [ "${PROFSUP_TEST_MUST_RUN:-0}" = 1 ]; then
		printf 'not ok %d - must run: %s\n' "$tap_count" "$1"
		tap_failures=$((tap_failures + 1))
	else
		printf 'ok %d # SKIP %s\n' "$tap_count" "$1"
	fi
}

# skip_all REASON: the whole test.
skip_all() {
	skip "$1"
	done_testing
}

bail() {
	printf 'Bail out! %s\n' "$1"
	exit 255
}

# The last word of a test.
done_testing() {
	printf '1..%d\n' "$tap_count"
	[ "$tap_failures" -eq 0 ]
	exit $?
}

# wait_until SECONDS COMMAND...: runs it every 20 ms until it succeeds.
wait_until() {
	tap_tries=$(($1 * 50))
	shift
	while ! "$@" >/dev/null 2>&1; do
		tap_tries=$((tap_tries - 1))
		[ "$tap_tries" -gt 0 ] || return 1
		sleep 0.02
	done
}

# rounds QUICK LONG: how often something is repeated: the second number is for tests/soak/long.t.
rounds() {
	if [ "${PROFSUP_TEST_LONG:-0}" = 1 ]; then
		echo "$2"
	else
		echo "$1"
	fi
}

target() {
	[ -x "$targets/$1" ] || bail "tests/targets/*/$1.c is not built"
	printf '%s\n' "$targets/$1"
}

# source_of_target NAME: its file.
source_of_target() {
	find "$top/tests/targets" -name "$1.c"
}

# need_root: skips the whole test for anyone else.
need_root() {
	[ "$(id -u)" -eq 0 ] || skip_all 'needs root'
}

need_userns() {
	unshare -Ur true 2>/dev/null || skip_all 'needs unprivileged user namespaces'
}

# the_file [NAME]: the one gmon file here, or a word that tells how many there are.
the_file() {
	case $# in
	0) set -- gmon.*.out ;;
	*) set -- gmon."$1".*.out ;;
	esac
	if [ $# -eq 1 ] && [ -f "$1" ]; then
		printf '%s\n' "$1"
	elif [ -f "$1" ]; then
		printf '%d-files\n' $#
	else
		printf 'no-file\n'
	fi
}

# calls PROGRAM FILE FUNCTION: how often gprof says that it was called.
calls() {
	gprof -b -p -z "$1" "$2" 2>/dev/null | awk -v name="$3" '
		$NF == name { print (NF == 7) ? $4 : 0; found = 1; exit }
		END { if (!found) print "none" }'
}

# statistic NAME FILE: a number of --stats=FILE.
statistic() {
	sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" "$2"
}

# ticks FILE: all its histogram bins together.
ticks() {
	perl "$top/tests/lib/gmon.pl" ticks "$1"
}
