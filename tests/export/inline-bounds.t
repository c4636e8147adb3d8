#!/bin/sh
# Inlined functions made to take for ever, or to fill all memory, do neither: what is left out is told in a line, and the rest of
# the profile is there.
# san: no room
# check-all: bounds of CPU time
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

"$testdir/gmon-edit.pl" bins 100 400000 1 2 4 8 16 >ticks

# exported KIND STACKS [WANT]: as folded stacks, which are these, and this is all that is said.
exported() {
	"$testdir/elf-made.pl" "$1" prog || bail "no program: $1"
	usage profsup-export --format=folded -o out prog ticks 2>err
	is "$? $(grep -v '^profsup-export: folded: ' err)" "0 ${3:+profsup-export: prog: $3}" "$1: it is exported, and what is left out is said"
	light 5 2000 "$1"
	is "$(sort out | xargs)" "$2" "$1: the functions are there"
}

# in_vain KIND: the same, where how far it comes depends on the machine.
in_vain() {
	"$testdir/elf-made.pl" "$1" prog || bail "no program: $1"
	usage profsup-export -q --format=folded -o out prog ticks 2>err
	is "$? $(cat err)" '0 ' "$1: it is exported"
	light 5 2000 "$1"
	is "$(sed 's/;g \[inlined\]//' out | sort | xargs)" 'f0 15 f1 16' "$1: the functions are there"
}

bound='its inlined functions take too long or too much memory: some are left out'
exported inlines 'f0 9 f0;g [inlined] 2 f0;g [inlined];h [inlined] 4 f1 16'
calls=$(printf ';g [inlined]%.0s' $(seq 100))
exported deep "f0$calls 15 f1 16" "$bound"
exported blocks 'f0 15 f1 16' "$bound"
in_vain crowd
exported circle 'f0 15 f1 16'
exported endless 'f0;h [inlined] 15 f1;h [inlined] 16'
exported abbreviations 'f0 15 f1 16' "$bound"
mkfifo link
exported link 'f0 15 f1 16'
done_testing
