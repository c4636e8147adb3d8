#!/bin/sh
# C by gcc, with musl, whose libc has no profiling of its own.
. "$(dirname "$0")/../tap/testlib.sh"
. "$testdir/matrix.sh"

command -v musl-gcc >/dev/null || skip_all 'musl-gcc is not installed'
PROFSUP_CC=musl-gcc
export PROFSUP_CC

for level in -O0 -O1 -O2 -O3 -Os; do
	c $level
done
c -O2 -mfentry
c -O2 -flto
c -O2 -fuse-ld=gold
c -O2 -fuse-ld=lld
c -O2 -ffunction-sections -Wl,--gc-sections
c -O2 -fuse-ld=lld -ffunction-sections -Wl,--gc-sections
c -O2 -Wl,-z,separate-code
c -O2 -fno-plt
c -O2 -mcmodel=large
# musl-gcc makes dynamic programs of these.
for words in -static-pie '-fPIE -pie' '-static-pie -fuse-ld=lld'; do
	# shellcheck disable=SC2086 # words
	c -O2 $words
	is_pie ./known
	is $? 1 "musl-gcc $words: it is a static program, though not a PIE"
done
PROFSUP_CC=$(command -v musl-gcc)
c -O2 -pie
done_testing
