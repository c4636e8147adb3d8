#!/bin/sh
# A program names its source files as it likes: what is no regular file is not even opened, and neither large ones nor
# crowds of them take time or memory.
. "$(dirname "$0")/../lib/testlib.sh"

# program NAME FILES REPEAT: a function _start of so many instructions, each from the next of so many source files NAME0,
# NAME1 ...; and `g`, a profile with a tick at each.
program() {
	perl -e '
		my ($name, $files, $n) = @ARGV;
		print ".globl _start\n.type _start,\@function\n_start:\n";
		printf ".file %d \"%s%d\"\n", $_ + 1, $name, $_ for 0 .. $files - 1;
		printf ".loc %d %d\nnop;nop;nop;nop\n", 1 + $_ % $files, 1 + $_ for 0 .. $n - 1;
		print ".size _start,.-_start\n"' "$@" >prog.s
	gcc -g -nostdlib -static -o prog prog.s 2>cc.err || bail "$(cat cc.err)"
	# shellcheck disable=SC2046 # ticks
	"$top/tests/export/gmon-edit.pl" bins 100 "$(nm prog | awk '$3 == "_start" { print $1 }')" $(yes 1 | head -n "$3") >g
}

# waiting FIFO: a process that waits for somebody to open it, and makes `opened` then
waiting() {
	rm -f opened
	sh -c ": >$1; : >opened" 2>/dev/null &
	waiting=$!
	# shellcheck disable=SC2016 # that shell expands it
	wait_until 120 sh -c '[ "$(cut -d " " -f 3 "/proc/$1/stat")" = S ]' sh "$waiting" || bail 'no process waits'
}

# untouched WHAT: nobody has opened it
untouched() {
	sleep 0.2
	[ ! -e opened ]
	ok $? "$1 is not opened"
	kill "$waiting" 2>/dev/null
	wait "$waiting" 2>/dev/null
}

mkfifo fifo
ln -s fifo source0
program source 1 1
waiting fifo
profsup-report --annotate=_start prog g >out 2>err
is "$? $(cat err)" '0 profsup-report: '"$PWD"'/source0: not a regular file (--source names a directory of sources)' 'a source file that is none'
untouched 'it'
waiting fifo
profsup-report fifo g >out 2>err
is "$? $(cat err)" '1 profsup-report: fifo: not a regular file' 'a program that is none'
untouched 'it'
waiting fifo
profsup-report prog fifo >out 2>err
is "$? $(cat err)" '1 profsup-report: fifo: not a regular file' 'a gmon file that is none'
untouched 'it'
ln -s fifo g.pb.gz
waiting fifo
profsup-report prog g >out 2>err
is "$? $(cat err)" '1 profsup-report: g.pb.gz: not a regular file' 'a file of stacks that is none'
untouched 'it'
rm g.pb.gz source0

# In a gigabyte there is room for all, but not for 60 million lines.
program big 3 3
for i in 0 1 2; do
	head -c 62000000 /dev/zero | tr '\0' '\n' >big$i
done
printf 'one\ntwo\n' >big1
touch prog
prlimit --as=1000000000 profsup-report --annotate=_start prog g >out 2>err
is "$? $(tr '\n' ' ' <err)" "0 $(printf "profsup-report: $PWD/%s: File too large (--source names a directory of sources) " big0 big2)" 'sources of too many lines'
grep -q ' 2  two$' out
ok $? 'are left out, and no others' || diag_file out
rm -f big?

program none 3000 3000
profsup-report --annotate=_start prog g >out 2>err
is "$? $(wc -l <err) $(grep -c '/none[0-9]* *\( (inlined)\)*$' out)" '0 11 3000' '3000 files that are not there are not said one by one' || diag_file err

# A source that was changed after the program was built, by their times.
program old 3 3
for i in 0 1 2; do
	echo "line of $i" >old$i
done
touch -d 2001-01-01T00:00:00 old0
touch -d 2001-01-01T00:00:01 prog old1
touch -d 2001-01-01T00:00:01.5 old2
profsup-report --annotate=_start --lines=_start prog g >out 2>err
is "$? $(cat err)" "0 profsup-report: $PWD/old2: it is newer than prog: costs may stand at wrong lines" 'a source that is newer than the program is named, once'
mkdir sources
cp old0 sources
profsup-report --annotate=_start --source=sources prog g 2>&1 >out | grep -c 'old0: it is newer'  >count
is "$(cat count)" 1 'so is one of --source'
is "$(profsup-report -q --annotate=_start prog g 2>&1 | grep -c newer)" 0 '-q does not name it'
program late 20 20
for i in $(seq 0 19); do
	: >"late$i"
done
touch -d 2001-01-01 prog
profsup-report --annotate=_start prog g >out 2>err
is "$? $(wc -l <err) $(tail -n 1 err)" "0 11 profsup-report: $PWD/late18 and others: they are newer than prog, too" '20 of them are not named one by one'
done_testing
