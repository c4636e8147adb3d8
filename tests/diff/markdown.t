#!/bin/sh
# What a gate writes for a pull request is read as that by GitHub's own reader of Markdown: a table of names as they are,
# whatever is in them.
# check-all: needs cmark-gfm
. "$(dirname "$0")/../lib/testlib.sh"

command -v cmark-gfm >/dev/null || skip_all 'cmark-gfm is not installed'

for i in 1 2 3 4 5 6 7; do
	echo "__attribute__((noipa, aligned(64))) void f$i(void) { __asm__ volatile(\"nop\"); }"
done >code.c
echo '__attribute__((noipa, aligned(64))) void _start(void) { }' >>code.c
gcc -O1 -g -nostdlib -static -o plain code.c 2>cc.err || bail "$(cat cc.err)"
nm -n plain | sed -n 's/^[0-9a-f]* T f\([0-9]\)$/\1/p' >order
is "$(tr -d '\n' <order)" 1234567 'the program has its functions in order'
"$testdir/made.pl" plain a 100 '_start->f1=10' '_start->f2=20' '_start->f3=30' '_start->f4=40' '_start->f5=50' '_start->f6=60'
"$testdir/made.pl" plain b 100 '_start->f1=11' '_start->f2=22' '_start->f3=33' '_start->f4=44' '_start->f5=55' '_start->f7=66'
# shellcheck disable=SC2016,SC1003 # they are to be as they stand
{
	printf '%s\n' 'f2=operator|(a, b) || \|' 'f3=`x` ``y`` `' 'f4=<img src=x onerror=alert(1)>&amp;' 'f5=@someone #12 http://x.y/ **b** [l](u)' 'f7=\'
} >names
set --
while IFS= read -r name; do
	set -- "$@" --redefine-sym "$name"
done <names
objcopy "$@" plain code || bail 'objcopy fails'
sed 's/^[^=]*=//' names >want
echo f1 >>want
echo f6 >>want

profsup-export --format=calls -o base code a
profsup-diff --gate base --format=markdown code b >out
is $? 1 'the calls are not those of the baseline'
cmark-gfm --unsafe -e table -e autolink out >page
is "$(grep -c '<table>' page) $(grep -c '<tr>' page) $(grep -oE '<t[dh][ >]' page | wc -l)" "1 15 $((15 * 4))" 'it is one table of all rows, and each row has four cells' ||
	diag_file page
is "$(grep -cE '<(a|img|em)[ >]' page) $(grep -c '<strong>' page)" '0 1' 'no name is a link, a picture or emphasis' || diag_file page
perl -ne 'print "$1\n" if /^<td align="left">(.*)<\/td>$/' page | grep -v '&rarr;\|→' | perl -pe '
	s/<\/?code>//g; s/&#(\d+);/chr $1/ge; s/&lt;/</g; s/&gt;/>/g; s/&quot;/"/g; s/&amp;/&/g' | sort >got
sort want >sorted
cmp -s got sorted
ok $? 'and each name is as it is' || diag "$(diff got sorted)"
is "$(perl -ne 'push @c, $1 if /^<td align="right">(.*)<\/td>$/; END { print join " ", @c[0 .. 2] }' page)" '- 66 new' 'beside its calls'
profsup-diff --gate base --format=markdown code a >out
is "$? $(cmark-gfm -e table out | head -n 1)" '0 <p><strong>Calls of <code>code</code> are those of <code>base</code></strong>: 6 functions, 6 arcs.</p>' 'if nothing has changed, that is said'

# Long names of one template differ at their ends.
long=$(printf '%0150d' 0)
objcopy --redefine-sym "f1=a$long" --redefine-sym "f2=a${long}z" plain long || bail 'objcopy fails'
profsup-export --format=calls -o long.base long a
profsup-diff --gate long.base --format=markdown long b | grep -o '^| .a0*[.]*0*z*.' | tr -d '|` ' >out
is "$(sed 's/00*/0/g' out)" 'a0...0z
a0...0' 'a long name has both its ends' || diag_file out

# More rows than a comment has room for.
for i in $(seq 300); do
	echo "__attribute__((noipa, aligned(64))) void g$i(void) { __asm__ volatile(\"nop\"); }"
done >>code.c
gcc -O1 -g -nostdlib -static -o code code.c 2>cc.err || bail "$(cat cc.err)"
# shellcheck disable=SC2046 # words
"$testdir/made.pl" code c 100 $(seq -f '_start->g%g=5' 300)
profsup-diff --gate base --format=markdown code c >out
is "$(cmark-gfm -e table out | grep -c '<tr>') $(grep -c '^and 512 more\.$' out)" '101 1' 'a long table ends with how many there are more'
between "$(wc -c <out)" 1000 65536 'a comment of GitHub has room for it'
done_testing
