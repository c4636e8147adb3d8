#!/bin/sh
# profsup-cc where nothing is linked: what comes out is what the compiler makes with -pg, or the same text.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

profsup-cc -c work.c
ok $? '-c makes an object'
calls_mcount work.o
ok $? 'an object calls mcount'
is "$(readelf -nW work.o | grep -c profsup)" 0 'an object has no part of the runtime'

profsup-cc work.c -o x.o -c && calls_mcount x.o
ok $? '-c may come last'
profsup-cc -cx.o 2>/dev/null
is $? 1 'an option that only begins like -c is not taken for it'
profsup-cc -S work.c -o - | grep -q 'call.*mcount'
ok $? '-S writes assembler that calls mcount'
profsup-cc -E work.c >ours && cc -E work.c >theirs && cmp -s ours theirs
ok $? '-E writes what the compiler writes'
profsup-cc -dM -E - </dev/null >ours && cc -dM -E - </dev/null >theirs && cmp -s ours theirs
ok $? 'the predefined macros are the compiler'"'"'s'
for opt in -M -MM; do
	profsup-cc $opt main.c >ours && cc $opt main.c >theirs && cmp -s ours theirs
	ok $? "$opt writes the rule that the compiler writes"
done
rm -f main.d main.o
profsup-cc -MD -c main.c && calls_mcount main.o && cc -MD -MF theirs -c main.c && cmp -s main.d theirs
ok $? '-MD writes the rule beside the object'
rm -f main.o
profsup-cc -fsyntax-only main.c && [ ! -e main.o ] && [ ! -e a.out ]
ok $? '-fsyntax-only makes no file'

profsup-cc -x c -c -o stdin.o - <work.c && calls_mcount stdin.o
ok $? 'a source may come from stdin'
cp work.c plug.so.c
touch plug.a
profsup-cc -c plug.so.c && calls_mcount plug.so.o
ok $? 'a source may be called plug.so.c, with a plug.a beside it'
cp work.c work.txt
profsup-cc -c -xc work.txt -o txt.o && calls_mcount txt.o
ok $? '-x names the language'
printf '\t.globl z\nz:\tret\n\t.section .note.GNU-stack,"",%%progbits\n' >z.s
cp z.s y.S
profsup-cc -c z.s y.S && [ -f z.o ] && [ -f y.o ]
ok $? 'assembler is assembled'
profsup-cc -c main.c work.c && calls_mcount main.o && calls_mcount work.o
ok $? 'several sources are compiled at once'

echo 'extern int declared;' >pre.h
profsup-cc pre.h && [ -f pre.h.gch ] && [ ! -e a.out ]
ok $? 'a header alone is precompiled, not linked'
printf '#include "pre.h"\nint declared;\n' >uses.c
profsup-cc -Winvalid-pch -Werror -H -c uses.c 2>&1 | grep -q '^! pre.h.gch'
ok $? 'and the precompiled header is used when compiling'
rm -f pre.h.gch
cp pre.h other
profsup-cc -x c-header other -o other.gch && [ -f other.gch ] && readelf -h other.gch 2>&1 | grep -q 'Not an ELF'
ok $? 'so is one that -x names a header'

echo '#include <profil.h>' >with.c
profsup-cc -c with.c
ok $? '<profil.h> is found without an option'
profsup-cc -M with.c | grep -q "$stage/lib/profsup/include/profil.h"
ok $? 'and stands in the rule of -M'

profsup-cc -O2 -fomit-frame-pointer -c work.c && calls_mcount work.o
ok $? '-fomit-frame-pointer is no error beside -pg'
profsup-cc -O2 -fomit-frame-pointer -mfentry -c work.c && nm work.o | grep -q __fentry__
ok $? 'nor with -mfentry'
echo '-fomit-frame-pointer' >opts
profsup-cc -O2 @opts -c work.c && calls_mcount work.o
ok $? 'nor in a response file'
done_testing
