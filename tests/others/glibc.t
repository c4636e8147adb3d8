#!/bin/sh
# The tests of glibc's own gmon, built for us: what they count, and that they end well, alone and under profsup.
# check-all: needs glibc's source
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/real/lib.sh"

source_of glibc
echo 'int main(void) { return TEST_FUNCTION; }' >glibc/test-skeleton.c

# built NAME WORD...: ./NAME of its source.
built() {
	name=$1
	shift
	profsup-cc -O1 -w -g "$@" -o "$name" "glibc/gmon/$name.c" >log 2>&1
	ok $? "$name $*: is built" || diag_file log
}

for kind in '-static -no-pie' '-static-pie -fPIE'; do
	# shellcheck disable=SC2086 # words
	built tst-gmon $kind
	./tst-gmon
	is "$?$(ls gmon* 2>/dev/null)" 0 "tst-gmon $kind: alone it ends well, and leaves nothing"
	profsup -q ./tst-gmon
	is $? 0 "tst-gmon $kind: under profsup it ends well"
	# What tst-gmon-gprof.sh asks for.  It does not know main, whose caller glibc leaves out.
	is "$(for f in f1 f2 f3 main; do calls tst-gmon gmon.tst-gmon.* $f; done | xargs)" '2000 1000 1 1' \
		"tst-gmon $kind: each call is counted"
	rm -f gmon.*
done
for name in tst-sprofil tst-profile-static tst-mcleanup tst-mcount-overflow; do
	[ -f "glibc/gmon/$name.c" ] || continue
	built "$name" -static
	"./$name" >out 2>&1
	is "$? $(grep -ci -e error -e fail out)" '0 0' "$name: alone it ends well" || diag_file out
	# As glibc runs it: a limit on what it counts, which we do not need.
	GLIBC_TUNABLES=glibc.gmon.minarcs=50:glibc.gmon.maxarcs=50 profsup -q "./$name" >out 2>&1
	is "$? $(grep -ci -e error -e fail out)" '0 0' "$name: under profsup it ends well" || diag_file out
	rm -f gmon.*
done
done_testing
