#!/bin/sh
# C by gcc, with musl, whose libc has no profiling of its own.
# check-all: needs musl
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/matrix.sh"

command -v musl-gcc >/dev/null || skip_all 'musl-gcc is not installed'
PROFSUP_CC=musl-gcc
export PROFSUP_CC

for level in $(rounds "-O0 -O2 -Os" "-O0 -O1 -O2 -O3 -Os"); do
	c "$level"
done
c -O2 -mfentry
c -O2 -flto
c -O2 -fuse-ld=gold
c -O2 -fuse-ld=lld
c -O2 -ffunction-sections -Wl,--gc-sections
if [ "$(rounds 1 2)" = 2 ]; then
	c -O2 -fuse-ld=lld -ffunction-sections -Wl,--gc-sections
	c -O2 -Wl,-z,separate-code
	c -O2 -fno-plt
fi
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

# The older dialects need nothing of the C library's either.
. "$top/tests/lib/dialect.sh"
# shellcheck disable=SC2034 # dialect.sh's
decides=calls
profsup-cc -O2 -w -o older "$top/tests/targets/dialect/dialect-pcsample.c" -pthread >build.out 2>&1 || diag_file build.out
timeout -s KILL 60 profsup -q -F 1000 ./older >out 2>err
status=$?
points out 'pcsample(2) with musl: '
is "$status" 0 'pcsample(2) does with musl what it does with glibc' || diag_file err
between "$(grep -c '^ok' out)" 10 100 'in all its points'

# -g: musl's code has no call frame information.
for program in stacks clock; do
	case $program in
	stacks) source=$(source_of_target stacks) ;;
	clock) source=$testdir/clock.c ;;
	esac
	PROFSUP_CC=musl-gcc profsup-cc -O2 -w -D_GNU_SOURCE -pthread -o $program "$source" >build.out 2>&1 || diag_file build.out
done
# stacks_are PER_CENT FRAMES PROGRAM WORD...: so many of the stacks have them one below the other.  It runs twice, and the
# second run counts: until what walks them is read, of a handler's there is its own stack only.
stacks_are() {
	least=$1 frames=$2 stacks_name=$3
	shift 3
	rm -f gmon.* stacks.*
	# shellcheck disable=SC2016 # its own
	profsup -g --sampler=ptrace -F 1000 sh -c '"$@" && exec "$@"' sh "./$stacks_name" "$@" >out 2>err
	# shellcheck disable=SC2012 # names without spaces
	second=$(ls -t gmon.* | head -n 1)
	of_stacks=stacks${second#gmon}
	of_stacks=${of_stacks%.out}.pb.gz
	perl "$top/tests/lib/stacks.pl" folded "$of_stacks" >tree
	grep -q '[0-9] with a guessed frame' err
	ok $? "$stacks_name $*: the summary says that frames are guesses" || diag_file err
	between "$(awk -v want="$frames" '{ all += $NF } $1 ~ want { n += $NF } END { print all ? 100 * n / all : "none" }' tree)" \
		"$least" 100 "$stacks_name $*: under $frames" || diag_file tree
	is "$(perl "$top/tests/lib/stacks.pl" orphans "$stacks_name" "$second" "$of_stacks")" '' "$stacks_name $*: each edge was counted"
}
stacks_are 95 '^_start;.*;main;sorting;' stacks sort
stacks_are 95 ';sorting;__qsort_r.*(;compare;burn(;_mcount)?|;(__qsort_r|sift|trinkle|cycle|compare|memcpy|_mcount))$' stacks sort
stacks_are 95 '^_start;.*;main;interrupted;.*;__restore_rt;handler;burn$' stacks signal
stacks_are 95 '^__clone;start;thread;burn$' stacks thread
stacks_are 70 ';main;asking;__clock_gettime;[^;]*clock_gettime[^;]*$' clock
done_testing
