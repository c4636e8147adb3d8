#!/bin/sh
# Files may have static functions of the same name.  A part that a compiler has taken out of one is that one's, and no part of the
# other, where only the other is left: all calls of the one were inlined but for that part.
. "$(dirname "$0")/../lib/testlib.sh"

# file NAME CHECK CALLER: a source file with its check(), whose caller calls its part, or the function where it has none.
# The names of the parts are given, so that they do not depend on what a compiler takes for unlikely.
file() {
	{
		echo '#define CODE __asm__ volatile("nop;nop;nop;nop;nop;nop;nop;nop" ::: "memory")'
		echo '#define ALONE __attribute__((noinline, used, aligned(64)))'
		case $2 in
		*part*) echo 'static void part(void) __asm__("check.part.0"); ALONE static void part(void) { CODE; }' ;;
		esac
		case $2 in
		*whole*) echo 'ALONE static void check(void) { CODE; }' ;;
		*global*) echo 'ALONE void check(void) { CODE; }' ;;
		*hidden*) echo 'ALONE __attribute__((visibility("hidden"))) void check(void) { CODE; }' ;;
		esac
		echo "ALONE void $3(void) {"
		case $2 in *part*) echo 'part(); CODE;' ;; esac
		case $2 in part) ;; *) echo 'check(); CODE;' ;; esac
		echo '}'
	} >"$1"
}

# program CC A B: `prog`, of a.c and b.c with so much of check() each
program() {
	program_cc=$1
	file a.c "$2" from_a
	file b.c "$3" from_b
	# shellcheck disable=SC2086 # words
	$program_cc -O1 -nostdlib -static -Wl,-e,from_a -o prog a.c b.c 2>cc.err || bail "$(cat cc.err)"
}

# functions OPTION...: the time in ms, the calls and the name of each check, by name and time
functions() {
	profsup-report -q -a --no-inlines "$@" prog g | awk '$NF ~ /^check/ { print $3 * 1000, $4, $NF }' | sort -k 3 -k 1n | xargs
}

made() {
	"$top/tests/diff/made.pl" prog g 1000 "$@" || bail 'no profile'
}

# called: the exact calls of each check, by the names that a baseline has
called() {
	profsup-export -q --format=calls prog g 2>&1 | awk -F '\t' '/^check/ && NF == 2 { print $2, $1 }' | xargs
}

for cc in gcc clang; do
	command -v $cc >/dev/null || { skip "no $cc here" && continue; }
	program $cc part whole
	made check=100 check.part.0=200 'from_a->check.part.0=3' 'from_b->check=5'
	is "$(functions)" '100 5 check 200 3 check.part.0' "$cc: a part is not one of another file's function"
	is "$(functions --parts)" '100 5 check 200 3 check.part.0' "$cc: it is by itself, as with --parts"
	program "$cc -g" part whole
	made 'from_a->check.part.0=3' 'from_b->check=5'
	is "$(called)" '3 check (a.c) 5 check (b.c)' "$cc: in a baseline, too, they are two functions"
	program "$cc -g" whole part+whole
	made 'from_a->check=3' 'from_b->check.part.0=5'
	is "$(called)" '3 check (a.c) 5 check (b.c)' "$cc: and a part has the name of its function"
	program $cc part whole
	strip -g prog
	made check=100 check.part.0=200 'from_a->check.part.0=3' 'from_b->check=5'
	is "$(functions)" '300 8 check' "$cc: without symbols of files the name alone tells"

	# Two parts, but one in each file: neither one function nor as many as there are parts of their names.
	program $cc part+whole part+whole
	made check=100 check@2=1000 check.part.0=20 check.part.0@2=300 'from_a->check.part.0=3' 'from_b->check.part.0@2=5'
	is "$(functions)" '120 3 check 1300 5 check' "$cc: each part is its file's"
	program $cc whole part+whole
	made check=100 check@2=1000 check.part.0=20 'from_a->check=3' 'from_b->check.part.0=5'
	is "$(functions)" '100 3 check 1020 5 check' "$cc: one part of two functions, too"
	for whole in global hidden; do
		program $cc whole part+$whole
		made check=100 check@2=1000 check.part.0=20 'from_a->check=3' 'from_b->check.part.0=5'
		is "$(functions)" '100 3 check 1020 5 check' "$cc: and one of a function that is $whole"
	done
done

# With link-time optimization no symbol says which file it is of: as before, the name alone tells.
program 'gcc -flto -fno-toplevel-reorder' part+global ''
made check=100 check.part.0=20 'from_a->check.part.0=3'
is "$(functions)" '120 3 check' 'link-time optimization: a part is still its function'\''s'
done_testing
