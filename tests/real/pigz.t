#!/bin/sh
# pigz: threads that compress blocks, here with a zlib that is profiled as well.  What is done to a block does not depend
# on how many threads there are, and with glibc's runtime its count would come out too low.
# check-all: builds a program of Debian's sources
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/lib.sh"

source_of zlib
source_of pigz
(cd zlib && CC=profsup-cc CFLAGS=$REAL_CFLAGS ./configure --static && make libz.a OBJG=) >zlib.log 2>&1 || {
	diag_file zlib.log
	bail "can't build zlib"
}
for f in pigz yarn try; do
	# shellcheck disable=SC2086 # a list of options
	build $f.log profsup-cc $REAL_CFLAGS -DNOZOPFLI -Izlib -c -o $f.o pigz/$f.c
done
build prog.log profsup-cc -o prog pigz.o yarn.o try.o zlib/libz.a -lm -lpthread
as_text 800000 zlib/*.[ch] >input
blocks=$(awk 'BEGIN { b = 128 * 1024; print int((800000 + b - 1) / b) }')

for p in 1 4; do
	mkdir p$p
	(cd p$p && profsup -F 1000 ../prog -p$p -b 128 -c ../input) >p$p.gz
	is $? 0 "pigz -p$p ends well under profsup"
	gzip -dc p$p.gz | cmp - input >&2
	ok $? "pigz -p$p compressed its input"
	gmon=$(cd p$p && the_file prog)
	is "$(cd p$p && echo gmon.prog.[0-9]*.out)" "$gmon" "pigz -p$p leaves one file for all of its threads"
	gprof_calls prog "p$p/$gmon" >p$p.calls
done

count() {
	awk -v name="$2" '$1 == name { print $2; found = 1 } END { if (!found) print FILENAME " has none" }' "p$1.calls"
}

for f in longest_match deflate _tr_flush_block compress_block build_tree scan_tree pqdownheap bi_reverse slide_hash; do
	is "$(count 4 $f)" "$(count 1 $f)" "four threads call $f() as often as one does"
done
is "$(count 4 compress_thread)" 4 '-p4 starts four threads that compress'
is "$(count 4 deflateSetDictionary)" $((blocks - 1)) 'each block but the first is given a dictionary'
is "$(count 4 crc32_comb)" "$blocks" 'the check value of each block is added'

mkdir cpu
(cd cpu && profsup --stats=stats -F 1000 perl -e "$with_cpu" cpu ../prog -p4 -b 128 -c ../input ../input ../input ../input ../input \
	../input ../input ../input)
tick_each_ms "$(cat cpu/cpu)" "cpu/$(cd cpu && the_file prog)" 'there is a tick for each ms of CPU time of all threads'

# Who waits how often for whom is another matter each time.
callgrind_calls ./prog -p4 -b 128 -c input |
	grep -v -E '^(alloc|free_lock_|my_malloc|new_lock_|possess_|release_|twist_|wait_for_|peek_lock) ' >truth
cmp callgrind.stdout p4.gz >&2
ok $? 'the output is the same without profsup'
is "$(differences p4.calls truth)" '' 'all functions were called as often as valgrind counts'
between "$(in_both p4.calls truth)" 50 200 'that is most functions of the program'
done_testing
