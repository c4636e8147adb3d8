#!/bin/sh
# A file of exact calls by which ld.lld lays functions out: those that call each other most come to be neighbours.
# check-all: needs lld
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need ld.lld lld
# Far from each other in the source: f0 calls f50, which calls f99, each a hundred times; all others are called once.
{
	echo 'volatile int sink;'
	for i in $(seq 0 99); do
		echo "void f$i(void);"
	done
	for i in $(seq 0 99); do
		case $i in
		0) call='for (int i = 0; i < 100; i++) f50();' ;;
		50) call='f99();' ;;
		*) call= ;;
		esac
		echo "__attribute__((noipa)) void f$i(void) { $call sink++; __asm__ volatile(\".skip 100, 0x90\"); }"
	done
	echo '__attribute__((noipa)) static void itself(int n) { sink++; if (n > 0) itself(n - 1); sink++; }'
	echo 'int main(void) { itself(5);'
	for i in $(seq 0 49) $(seq 51 98); do
		echo "f$i();"
	done
	echo 'return 0; }'
} >prog.c
profsup-cc -O1 -g -o prog prog.c >cc.out 2>&1 || bail "$(cat cc.out)"
profsup -q -o gmon ./prog || bail 'the program fails'

export_as call-graph-order prog gmon
[ ! -s err ]
ok $? 'nothing is said, since nothing is lost' || diag_file err
"$top/tests/lib/arcs.pl" prog gmon | awk '$1 != $2' | sort >want
sort out >got
same got want 'each line is an arc, with its exact number of calls'
is "$(grep -E '^(f0|f50) ' out | sort | xargs)" 'f0 f50 100 f50 f99 100' 'such as these'
! grep -q itself.itself out
ok $? 'a function is not its own neighbour'

# link NAME WORD...: a program of the same source, by lld; lld may warn of nothing.
link() {
	link_name=$1
	shift
	gcc -O1 -fno-toplevel-reorder -ffunction-sections -static -fuse-ld=lld -Wl,--fatal-warnings "$@" -o "$link_name" prog.c 2>cc.out
	ok $? "ld.lld links $link_name" || diag_file cc.out
}
# apart NAME F G: bytes between two functions
apart() {
	nm "$1" | awk -v f="$2" -v g="$3" '$3 == f { x = $1 } $3 == g { y = $1 } END { print x, y }' |
		perl -ane 'print abs(hex($F[0]) - hex($F[1])), "\n"'
}
grep -v '^__libc' out >order
link plain
link ordered -Wl,--call-graph-ordering-file=order
for pair in 'f0 f50' 'f50 f99'; do
	# shellcheck disable=SC2086 # words
	set -- $pair
	between "$(apart plain "$@")" 4000 100000 "without it $1 and $2 are far from each other"
	between "$(apart ordered "$@")" 1 300 "with it they are neighbours"
done

# What is no word.
objcopy --redefine-sym 'f0=f 0' --redefine-sym "f50=$(printf 'f\00150')" prog odd
profsup-export --format=call-graph-order odd gmon >out 2>err
is "$(cat err)" 'profsup-export: call-graph-order: no room for 201 calls by or of code without a symbol that is a word' 'names that are no words are left out, and that is said'
! grep -qE '(f 0|f.50)( |$)' out
ok $? 'indeed'
done_testing
