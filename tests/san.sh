#!/bin/sh
# Unit tests, run tests and export tests with the supervisor and profsup-export built for the address
# and undefined behaviour sanitizers, and what has threads for the thread sanitizer.  The runtime and the targets stay plain: a program that is traced
# can't look for its own leaks, and what is measured there is the program and not the sanitizer.
#
# The supervisor and the unit tests are looked at for leaks; the tools are not (tools/model/memory.c).
#
# A report is a failure even where a test would not see it: the sanitizers write them to files.
set -u
cd "$(dirname "$0")/.." || exit 1

reports=$(mktemp -d) || exit 1
chmod 1777 "$reports"
trap 'rm -rf "$reports"' EXIT
trap 'exit 1' INT TERM HUP

export ASAN_OPTIONS="log_path=$reports/report:strict_string_checks=1:disable_coredump=0"
export UBSAN_OPTIONS="log_path=$reports/report:print_stacktrace=1"
export TSAN_OPTIONS="log_path=$reports/report"

# built DIRECTORY FLAGS: the tests that follow run with that.
built() {
	make -s -j"$(nproc)" B="$1" CFLAGS='-O1 -g' SAN="$2" tests-built || exit 1
	export PROFSUP_STAGE="$PWD/$1/stage" PROFSUP_TARGETS="$PWD/$1/tests/targets"
}

# Where the supervisor itself is traced, it can't look for leaks either; where its address space is limited,
# the sanitizers have no room for theirs.  Threads of its own it has for target memory, for symbols and to keep its priority.
traced=$(grep -l '^# san: traced' tests/run/*.t)
untraced=$(grep -LE '^# san: (traced|no room)' tests/run/*.t tests/export/*.t)
threads=$(grep -l '^# san: threads' tests/*/*.t)

# tests JOBS FILE...: what the files measure that are not certain is the sanitizer: of them only the reports count.
tests() {
	jobs=$1
	shift
	# shellcheck disable=SC2046 # words
	prove --failures --comments -j"$jobs" $(grep -LE '^# (check-all|san: measures)' "$@") || failed=1
	measuring=$(grep -lE '^# (check-all|san: measures)' "$@")
	# shellcheck disable=SC2086 # words
	[ -z "$measuring" ] || prove -Q -j"$jobs" $measuring >"$reports/measuring" 2>&1 || :
}

failed=0
built build/san '-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer'
# shellcheck disable=SC2086 # lists
tests "$(nproc)" build/san/tests/unit/*/*.t $untraced
ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0
# shellcheck disable=SC2086
tests 1 $traced
built build/tsan -fsanitize=thread
# shellcheck disable=SC2086
tests "$(nproc)" build/tsan/tests/unit/process/mem.t $threads
for report in "$reports"/report*; do
	[ -f "$report" ] || continue
	cat "$report"
	failed=1
done
[ "$failed" -eq 0 ] && echo 'san: no report'
exit "$failed"
