#!/bin/sh
# bzip2: computes, and calls a small function tens of millions of times.
# check-all: builds a program of Debian's sources
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/lib.sh"

source_of bzip2
# Debian's makefile would link with the shared library; -o says that it needs no making.
build make.log make -C bzip2 CC=profsup-cc "CFLAGS=$REAL_CFLAGS -D_FILE_OFFSET_BITS=64" -o libbz2.so \
	libbz2.a bzip2 bzip2recover
cp bzip2/bzip2 prog
as_text 300000 bzip2/*.[ch] >small
as_text 5000000 bzip2/*.[ch] bzip2/*.html bzip2/manual.* >large

mkdir small.d
(cd small.d && profsup ../prog -1 -c ../small) >small.bz2
is $? 0 'bzip2 ends well under profsup'
gmon=$(cd small.d && the_file prog)
gprof_calls prog "small.d/$gmon" >counted
callgrind_calls ./prog -1 -c small >truth
cmp small.bz2 callgrind.stdout >&2
ok $? 'its output is the same without profsup'
is "$(differences counted truth)" '' 'all functions were called as often as valgrind counts'
between "$(in_both counted truth)" 40 200 'that is most functions of the program'
between "$(calls prog "small.d/$gmon" mainGtU)" 100000 100000000 'one of them hundreds of thousands of times'

blocks=$(cd small.d && mv ../small.bz2 . && ../bzip2/bzip2recover small.bz2 2>/dev/null && ls rec*)
is "$(calls prog "small.d/$gmon" BZ2_compressBlock)" "$(echo "$blocks" | wc -l)" \
	'BZ2_compressBlock() was called once for each block in the compressed file'

# The same objects with glibc's own profiling runtime: what users have had so far.
build glibc.log gcc -pg -static -o glibc.prog bzip2/bzip2.o bzip2/libbz2.a
mkdir glibc.d
(cd glibc.d && ../glibc.prog -c ../large >/dev/null)
mkdir large.d
(cd large.d && profsup --timeline --stats=stats -F 1000 perl -e "$with_cpu" cpu ../prog -c ../large)
gmon=$(cd large.d && the_file prog)
gprof_calls prog "large.d/$gmon" >counted
gprof_calls glibc.prog glibc.d/gmon.out >glibc.counted
is "$(differences counted glibc.counted)" '' 'all functions were called as often as glibc counts'
between "$(in_both counted glibc.counted)" 40 200 'that is most functions of the program'

tick_each_ms "$(cat large.d/cpu)" "large.d/$gmon" 'there is a tick for each ms of CPU time'
drawn large.d/stacks.prog.*
old_n=$(ticks glibc.d/gmon.out)
for f in mainGtU mainSort generateMTFValues sendMTFValues; do
	old=$(share glibc.prog glibc.d/gmon.out $f)
	# Its own samples are draws, too.
	# shellcheck disable=SC2046 # words
	likely "$(share prog "large.d/$gmon" $f | awk '{ print 100 * $1 }')" $(awk -v p="$old" -v o="1:$old_n" "$by_chance"'BEGIN {
		low = p - by_chance(1 - p, o); high = p + by_chance(p > 0.02 ? p : 0.02, o)
		print (low > 0 ? 100 * low : 0), (high < 1 ? 100 * high : 100) }') "$f() has the share of time that glibc's runtime finds"
done
done_testing
