#!/bin/sh
# What profsup-report prints of inlined functions: a row without calls, and calls of the functions around that cost what is
# inlined into them.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$top/tests/export/inlines.c" "$top/tests/export/inlines.h" .
profsup-cc -O2 -g -o prog inlines.c >cc.out 2>&1 || bail "$(cat cc.out)"
profsup -q -g -F 1000 -o run ./prog || bail 'the program fails'

# A second at each byte of our functions; with the calls of the run.
nm -S prog | perl -ne '
	push @f, [hex $1, hex $2] if /^(\S+) (\S+) [tT] (?:leaf|a|b|again|main)$/;
	END {
		print "gmon", pack "Vx12", 1;
		print pack("CQ<Q<VVa15a", 0, $$_[0], $$_[0] + $$_[1], $$_[1], 1000, "seconds", "s"), pack("v", 1000) x $$_[1] for @f;
	}' >each

# column NUMBER FUNCTION: of the flat table in `out`
column() {
	awk -v n="$1" -v f="$2" '{ name = $0; sub(/^ *[0-9.]+% +[0-9.]+% +[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+  /, "", name) } name == f { print $n }' out
}

profsup-report -q -a prog run each >out 2>err
is "$? $(cat err)" '0 ' 'it is printed'
cp out with
is "$(column 4 'spin [inlined]') $(column 5 'spin [inlined]') $(column 6 'spin [inlined]')" '- - -' 'an inlined function has no calls, and they no cost'
is "$(column 4 a) $(column 4 b) $(column 4 leaf) $(column 4 again)" '20000 40000 100000 1000+50000' 'calls of the others are counted'
around=$(column 3 b) each_call=$(column 5 b) of_all=$(column 2 b)
profsup-report -q -a --no-inlines prog run each >out
! grep -q inlined out
ok $? '--no-inlines: there are none' || diag_file out
is "$(column 5 b) $(column 2 b)" "$each_call $of_all" 'a call of the function around costs all its code, and its total is the same'
awk -v with="$around" -v without="$(column 3 b)" 'BEGIN { exit !(with + 0.010 < without + 0) }'
ok $? 'but its own time is without that of inlined code' || diag "$around $(column 3 b)"
# Each row is rounded to a millisecond.
mine() { grep -E ' (leaf|a|b|again|main|[a-z]+ \[inlined\])$' "$1" | awk '{ ms += $3 * 1000 } END { printf "%.0f %d\n", ms, NR }'; }
{ mine with; mine out; } | awk '{ all[NR] = $1; rows += $2 } END { d = all[1] - all[2]; exit !(NR == 2 && all[1] > 1000 && d * d <= rows * rows / 4) }'
ok $? 'all own time is there once' || diag "$(mine with) $(mine out)"

profsup-report -q --flat=spin prog run each >out
is "$(grep -c '^ .*%' out) $(grep -c ' spin \[inlined\]$' out)" '1 1' 'it is found by its name'
profsup-report -q --flat=spin --no-inlines prog run each >out 2>err
is "$? $(cat out err)" '1 profsup-report: spin: no such function has used time or was called; an inlined one is in the lines of its callers (--lines)' \
	'without inlined functions there is no such one'
profsup-report -q -a --graph=back prog run each >out
is "$(awk '$NF == "again" { print $(NF - 1) }' out | xargs)" '- +50000' 'graph: a call of the function around by inlined code is one by itself' || diag_file out
profsup-report -q -a --graph=outer prog run each >out
is "$(awk '$NF == "a" || $NF == "b" || $NF == "leaf" { print $(NF - 1), $NF }' out | sort | xargs)" '- a - b 60000/100000 leaf' \
	'graph: who it is inlined into, and what it calls' || diag_file out
line=$(grep -n 'sink += outer(3000)' inlines.c | cut -d : -f 1)
profsup-report -q --annotate=a prog run each >out
[ "$(awk -v l="$line" '$4 == l { print ($2 > 0.1) }' out)" = 1 ]
ok $? 'annotate: the line that calls an inlined function has its time' || diag_file out
profsup-report -q --annotate=spin prog run each >out
grep -q '^ *[0-9.]* .*inlines.h\|/inlines\.h$' out && grep -q 'KEEP(s ^= 3 \* n);$' out
ok $? 'annotate: it has its lines' || diag_file out
! grep -q 'total, .* call' out
ok $? 'and no number of calls' || diag_file out

# Most of the time is in what nobody has counted calls of.
cat >lib.c <<'X'
#include <string.h>
__attribute__((aligned(64), used)) void counted(void) { __asm__ volatile("nop"); }
int main(void) { return strlen("") != 0; }
X
profsup-cc -O1 -g -o lib lib.c >cc.out 2>&1 || bail "$(cat cc.out)"
profsup -q -o lib.run ./lib || bail 'the program fails'
hint() { profsup-report -q lib lib.run one | grep 'calls were not counted'; }
"$top/tests/export/gmon-edit.pl" bins 100 "$(nm lib | awk '$3 == "counted" { print $1 }')" 99 >one
is "$(hint)" '100 % of the time is in functions whose calls were not counted: profsup -g shows who called them' 'a hint says how to find callers'
"$top/tests/export/gmon-edit.pl" bins 100 "$(nm lib | awk '$3 == "main" { print $1 }')" 99 >one
is "$(hint)" '' 'but not if calls were counted'
few() { profsup-report -q "$@" lib one | grep 'sees more of'; }
is "$(few)" '' 'enough ticks are enough'
"$top/tests/export/gmon-edit.pl" bins 100 "$(nm lib | awk '$3 == "main" { print $1 }')" 9 >one
is "$(few)" '9 ticks of CPU time: profsup -F 1000 sees more of a short run' 'of few a hint says how there are more'
is "$(few --flat)" '' 'not where a table was asked for'
done_testing
