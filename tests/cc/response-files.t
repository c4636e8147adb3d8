#!/bin/sh
# profsup-cc reads response files as the compilers do: what stands in them counts like the words of the command
# line.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

echo 'main.c work.c -o a' >words
profsup-cc @words
profiled ./a 'sources and -o stand in a response file'
printf '%s\n' -c '-o b.o' work.c >words
profsup-cc @words && calls_mcount b.o
ok $? '-c in a response file is seen: nothing is linked'
profsup-cc -O2 main.c b.o @/dev/null -o c
profiled ./c 'one without words changes nothing'
mkdir 'a dir'
cp work.c 'a dir/my work.c'
cp work.c "a dir/'\".c"
printf '%s\n' "main.c 'a dir/my work.c'" '-o "a dir/prog"' >words
profsup-cc @words
profiled './a dir/prog' 'quotes of both kinds keep spaces in names'
printf '%s\n' 'main.c a\ dir/my\ work.c' '-o	"a\ dir/pr"o'"g'2'" >words
profsup-cc @words
profiled './a dir/prog2' 'a backslash keeps a space, inside quotes too'
printf '%s\n' "main.c a\\ dir/\\'\\\".c -o d" >words
profsup-cc @words
profiled ./d 'a backslash keeps a quote'
echo '-c @inner' >outer
echo 'work.c -o "@innermost"' >inner
echo 'e.o' >innermost
profsup-cc @outer && calls_mcount e.o
ok $? 'response files nest, and may hold the file of -o'
profsup-cc @inner main.c -o e && [ ! -e e ]
cp outer 'out er'
profsup-cc @'out er' && calls_mcount e.o
ok $? 'a response file may have a space in its name'
echo '-shared -fPIC' >shared
profsup-cc @shared work.c -o lib.so && ! calls_mcount lib.so && ! has_note lib.so
ok $? '-shared in a response file is seen: passed through untouched'
echo '-Wl,-Bstatic -lm -Wl,-Bdynamic -lm' >libs
profsup-cc main.c work.c @libs -o f
profiled ./f '-Bdynamic in a response file is mended'
echo '-pie @libs' >pie
profsup-cc main.c work.c @pie -o g
profiled ./g '-pie in a response file is a static one'
readelf -h g | grep -q 'DYN '
ok $? 'and position-independent'
PROFSUP_CC=$scratch/show profsup-cc -c @words main.c | grep -qx '<@words>'
ok $? 'a file that holds nothing to change goes to the compiler as it is'
cp work.c @work.c
cp main.c @missing.c
mv @missing.c ./@main.c
profsup-cc -x c @main.c @work.c -o h 2>err
cc -x c @main.c @work.c -o h 2>err2
cmp -s err err2
ok $? 'an @file is read before it is a name, as by the compiler'
profsup-cc -o @nofile main.c work.c
profiled ./@nofile 'an @file that is not there is a name'
profsup-cc -c @words @nofile2 2>err
is $? 1 'an input that is not there is the compiler'"'"'s error'
echo '@loop' >loop
profsup-cc @loop 2>err
a=$?
cc @loop 2>err2
[ $a -eq $? ] && cmp -s err err2
ok $? 'a file that contains itself ends in the compiler'"'"'s own error' || diag_file err
# Longer than any buffer one would think of.
{
	echo 'main.c work.c -o i'
	yes -- '-L/nonexistent' | head -n 5000
} >words
profsup-cc @words
profiled ./i 'a long file is read to its end'
done_testing
