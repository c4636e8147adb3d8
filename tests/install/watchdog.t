#!/bin/sh
# A test file that waits without an end is ended: it has failed, says what was there, and leaves nothing behind.
# check-all: six times six seconds, about the tests and not the product
. "$(dirname "$0")/../lib/testlib.sh"

# A checkout, to testlib.sh.
touch GNUmakefile
mkdir tests
ln -s "$top/tests/lib" tests/lib

none_has() {
	! grep -l -s "$1" /proc/[0-9]*/environ
}

# ended NAME WORDS LINE...: of a test that has these lines, which never end; WORDS are in the command that is there.
ended() {
	name=$1 words=$2
	shift 2
	printf '#!/bin/sh\n. "%s/tests/lib/testlib.sh"\n' "$top" >stuck.t
	printf '%s\n' "ok 0 'it begins'" "$@" 'done_testing' >>stuck.t
	mkdir -m 777 tmp
	PERL_TEST_HARNESS_DUMP_TAP='' TMPDIR=$scratch/tmp PROFSUP_TEST_SECONDS=6 timeout -s KILL 120 prove -v stuck.t >out 2>&1
	is "$?" 1 "$name: it has failed"
	is "$(grep -c '^ok 1 - it begins$' out) $(grep -c '^not ok - the file ends within 6 s$' out)" '1 1' \
		"$name: when its time was over" || diag_file out
	grep -q "^# [0-9]* [A-Z], in .*: $words\$" out
	ok $? "$name: it says what was there" || diag_file out
	[ "$name" = 'one that ignores what ends it' ] || is "$(ls tmp)" '' "$name: its directory is gone"
	wait_until 120 none_has "$scratch/tmp"
	ok $? "$name: so is what it had started" || diag "$(grep -l "$scratch/tmp" /proc/[0-9]*/environ 2>&1)"
	rm -rf tmp stuck.t
}

ended 'wait' 'sleep 1234 *' 'sleep 1234 & wait $!'
ended 'a command' 'sleep 1234 *' 'sleep 1234'
ended 'one that ignores signals, of a session of its own' 'sleep 1234 *' \
	"setsid -w sh -c 'trap \"\" TERM HUP INT; while :; do sleep 1234; done'"
ended 'a pipe without another end' '/bin/sh .*stuck.t *' 'mkfifo pipe' 'exec 7>pipe'
ended 'a loop' '/bin/sh .*stuck.t *' 'while :; do :; done'
ended 'one that ignores what ends it' '/bin/sh .*stuck.t *' "trap '' TERM" 'while :; do :; done'
done_testing
