#!/bin/sh
# A program made to take for ever, or to fill all memory, does neither: what is left out for that is told in a line, and
# the rest is there.  A large honest program has all its names.
# san: no room
# check-all: a minute of CPU time
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need jq jq

"$testdir/gmon-edit.pl" bins 100 400000 1 2 3 4 5 6 7 8 >ticks
names=

# bounded KIND WANT [PATTERN]: its export as JSON takes no more than 5 s and 1 GB; this is all that is said, and $names are those
# of functions with ticks.
bounded() {
	"$testdir/elf-made.pl" "$1" prog || bail "no program: $1"
	usage profsup-export --format=json -o out prog ticks 2>err
	bounded_status=$?
	is "$bounded_status $(cat err)" "0 ${2:+profsup-export: prog: $2}" "$1: it is exported, and what is left out is said"
	light 5 1000 "$1"
	names=$(head -c 20000000 out | grep -o '"name":"[^"]*".*"self_ticks":[1-9]' | sed 's/"name":"\([^"]*\)".*/\1/' | head -n 3)
}

bounded plain ''
is "$names" "$(printf 'f0\nf1')" 'a program like others has its names'
bounded overlap 'names that are too long end early: 100000'
is "$(printf '%s' "$names" | tr -d 'a\n')$(printf '%s\n' "$names" | awk '{ print length }' | xargs)" '32768 32768' \
	'names of 2 MiB have their first 32 KiB'
bounded unended ''
is "$names" "$(printf 'ab\nab')" 'names before the last end are there'
bounded same 'names that are too long end early: 1'
bounded tables ''
is "$names" "$(printf 'f\nf')" 'of tables that are the same, one is read'
bounded notes ''
bounded forever 'names that take too long to demangle are left as they are: 1'
is "$(printf '%s\n' "$names" | cut -c 1-6 | xargs)" 'f0 _Z1fI1' 'of which the name before has its own'
is "$(jq -r '.functions[3].name' out)" 'f2()' 'and the one behind is demangled'
"$testdir/elf-made.pl" terabytes prog
usage profsup-export --format=json -o out prog ticks 2>err
between "$(sed -n 's/^profsup-export: prog: names that take too long .*: //p' err)" 0 99999 'terabytes: some names are left as they are'
light 5 1000 terabytes
bounded many 'it has too many symbols: 1000 are left out'
is "$(grep -c '"name":"f"' out)" $((2 << 20)) 'the others are there'

"$testdir/elf-made.pl" elsewhere prog
usage profsup-export --format=json -o out prog ticks 2>err
is "$? $(cat err)" '1 profsup-export: prog: its header does not say how many sections it has' 'sections that are counted elsewhere are refused'
light 1 100 'at once'

bounded honest ''
is "$names" "$(printf 'compiler::pass::InstructionSelector0()\ncompiler::pass::InstructionSelector1()')" 'a large program: its names are demangled'
is "$(grep -c '"name":"compiler::pass::InstructionSelector[0-9]*()","symbol":"_ZN8compiler4pass[^"]*Ev"' out)" 1000000 'all the million'

# Ranges of addresses that have one bin each, which lies in a million functions.
"$testdir/elf-made.pl" wide prog
perl -e '
	print "gmon", pack "Vx12", 1;
	print pack "CQ<Q<VVa15av", 0, 0x400000 - $_, 0x400000 + (16 << 20) + $_, 1, 100, "seconds", "s", 1 for 1 .. 256' >wide
for format in callgrind folded pprof html; do
	usage profsup-export --format=$format -o out prog wide 2>err
	is "$? $(grep -vc ": $format: " err) $(sed -n 's/^profsup-export: prog: too many bins lie in too many functions: [0-9]* ticks //p' err)" \
		'0 1 are left undivided, as [unknown]' "$format: bins that are too wide are not divided, which is said"
	light 5 1500 "$format"
done

"$testdir/elf-made.pl" parts prog
usage profsup-export -q --format=folded -o out prog ticks 2>err
is "$? $(cat err) $(grep -c 'b\.cold' out) $(grep -c '^b ' out)" '0  0 1' 'parts: those of functions of one name are of as many'
light 5 1000 'parts'

# Functions have no time of their own and no calls, but that of what they call: is each what leads to main()?
"$testdir/elf-made.pl" overlap prog
perl -e '
	print "gmon", pack("Vx12", 1), pack("CQ<Q<VVa15av", 0, 0x400000, 0x400004, 1, 100, "seconds", "s", 1);
	print pack "CQ<Q<V", 1, 0x400000 + 16 * $_, 0x400000, $_ for 1 .. 99999' >called
usage profsup-report -q prog called >out 2>err
is "$? $(cat err) $(grep -c 'and 99970 more functions' out)" '0  1' 'names of 2 MiB of functions without time are told'
light 5 1000 'names of functions without time'

# Names that uthash's own function, which is the same for all, puts into one bucket.
cat >alike.c <<'X'
#include <stdio.h>
#include <string.h>
#include <uthash.h>
int main(void)
{
	char name[] = "n00000000";
	unsigned n = 0, hash;
	while (n < 60000) {
		HASH_JEN(name, sizeof(name) - 1, hash);
		if (hash % 1024 == 0 && ++n)
			puts(name);
		char *digit = name + sizeof(name) - 2;
		for (; *digit == '9'; digit--)
			*digit = '0';
		++*digit;
	}
}
X
gcc -O2 -w -o alike alike.c 2>cc.err || bail "$(cat cc.err)"
./alike >alike.names
"$testdir/elf-made.pl" alike.names prog
perl -e 'print "gmon", pack("Vx12", 1), pack("CQ<Q<VVa15a", 0, 0x400000, 0x400000 + (60000 << 4), 60000, 100, "seconds", "s"), "\1\0" x 60000' >each
usage profsup-export -q --format=pprof -o out prog each
is $? 0 'names that are alike for a hash function are exported'
light 3 1000 'these names'
done_testing
