#!/bin/sh
# Threads, however made and however many: every call is counted.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

cp "$(target rt-threads)" rt-threads
cp "$(target rt-clone)" rt-clone
for kind in pthread c11; do
	exact "one $kind thread at a time, 4 in all" ./rt-threads $kind 1 4 200000
	exact "2 $kind threads at a time, 8 in all" ./rt-threads $kind 2 8 200000
	exact "4 $kind threads at a time, 16 in all" ./rt-threads $kind 4 16 200000
	exact "16 $kind threads at a time, 64 in all" ./rt-threads $kind 16 64 50000
	exact "256 $kind threads at a time, 1024 in all" ./rt-threads $kind 256 1024 2000
done

# A region of 13 MB has tables for some 2,200 threads and 4,096 slots.
exact '5,000 threads at once' ./rt-threads small 5000 5100 100
exact_file=rt-threads
exact '300 threads and a region made small by RLIMIT_AS' sh -c 'ulimit -S -v 4000; exec ./rt-threads small 300 900 2000'
exact_file=

exact 'a raw clone with its creator'"'"'s thread pointer' ./rt-clone one
exact '8 raw clones with their creator'"'"'s thread pointer' ./rt-clone eight
exact '8 raw clones with pointers to memory that is no TLS block' ./rt-clone settls
is "$(grep -c written out)" 0 'and that memory is not touched'
exact '8 raw clones with pointers to memory that begins like a TLS block' ./rt-clone self
exact '8 raw clones with pointers to no memory' ./rt-clone wild
exact_files=all
exact '8 processes that share the memory, all files together' ./rt-clone process
for f in gmon.rt-clone.*.out; do
	arcs_of rt-clone "$f" | wc -l
done | sort | uniq -c | sed 's/^ *//' >files
is "$(tr '\n' ';' <files)" '8 0;1 6;' 'which are all in the file of the one whose memory it is'
# In one table there is no telling whose calls they are: moncontrol(3), CAVEATS.
exact 'a child of vfork while threads share a table, both files together' ./rt-clone vfork
for f in gmon.rt-clone.*.out; do
	arcs_of rt-clone "$f" | grep -c t_child
done | sort | tr '\n' ' ' >files
is "$(cat files)" '0 1 ' 'its calls are in the file of its parent'
done_testing
