#!/bin/sh
# Debugging information made to take for ever, or to fill all memory, does neither, and opens no file: what is left out
# is told in a line, and the rest of the profile is there.
# san: no room
# check-all: bounds of CPU time
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

"$testdir/gmon-edit.pl" bins 100 400000 1 2 3 4 5 6 7 8 >ticks

# exported KIND WANT: as callgrind, and this is all that is said.
exported() {
	"$testdir/elf-made.pl" "$1" prog || bail "no program: $1"
	usage profsup-export --format=callgrind --no-inlines -o out prog ticks 2>err
	exported_status=$?
	is "$exported_status $(cat err)" "0 ${2:+profsup-export: prog: $2}" "$1: it is exported, and what is left out is said"
	light 5 2000 "$1"
	is "$(sed -n 's/^fn=([0-9]*) //p' out | xargs)" 'f0 f1' "$1: the functions are there"
}

bound='its source lines take too long or too much memory: some are left out'
exported lines ''
is "$(sed -n 's/^fl=([0-9]*) //p' out)" /d/a.c 'with the file'
exported shared "$bound"
is "$(sed -n 's/^fl=([0-9]*) //p' out)" /d/a.c 'with the lines that were read'
exported long "$bound"
exported abbreviations "$bound"
mkfifo link
exported link ''
done_testing
