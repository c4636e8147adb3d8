#!/bin/sh
# What is no program of ours passes through profsup-cc untouched: no -pg, no runtime.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

profsup-cc -fPIC -c work.c -o pg.o
for words in '-shared work.c -o x.so' 'work.c -o x.so -shared' '-r main.o work.o -o all.o' '-nostdlib work.c' \
	'-nostartfiles -c work.c' '-nodefaultlibs work.o' '-Wl,-r work.o' '-Xlinker -r work.o' \
	'-Wl,-soname,x,-shared work.o' '--shared work.o' '-m32 -c work.c' '-m32 -shared work.c' '-nodefaultlibs -shared work.o -lc' '-v' '-print-file-name=x' \
	'-shared -pie -Wl,-Bdynamic -fomit-frame-pointer work.c'; do
	# shellcheck disable=SC2086 # words
	is "$(shown $words 2>>notes)" "$(printf '<%s> ' $words)" "$words"
done
is "$(shown -c a.c)" '<-pg> <-idirafter> <PREFIX/lib/profsup/include> <-c> <a.c> ' 'compiling adds -pg'
is "$(shown a.o -lx)" '<-pg> <-Xlinker> <PREFIX/lib/profsup/gcrt0.o> <-Wl,--build-id> <-Wl,--start-group> <a.o> <-lx> <-static> <-Wl,--no-whole-archive> <-LPREFIX/lib/profsup> <-lprofil> <-Wl,--end-group> ' \
	'linking adds -pg, -static and the runtime'
is "$(shown -E a.c)" '<-idirafter> <PREFIX/lib/profsup/include> <-E> <a.c> ' 'preprocessing adds no -pg'
is "$(shown -Wl,--version)" '<-Wl,--version> ' 'a question to the linker is passed on'

profsup-cc -shared -fPIC work.c -o libwork.so 2>err
is "$(cat err)" 'profsup-cc: libwork.so is a shared library, and is not profiled' 'a shared library is told of'
! calls_mcount libwork.so && ! has_note libwork.so && readelf -h libwork.so | grep -q 'DYN '
ok $? 'a shared library is one, without -pg and note'
cc main.c -L. -lwork -Wl,-rpath,"$scratch" -o dyn && ./dyn
ok $? 'and works in a program linked without us'
profsup-cc -shared pg.o -o libpg.so 2>err && cc main.c ./libpg.so -o dynpg && ./dynpg
ok $? 'so does one made of objects that profsup-cc compiled'
profsup-cc -c main.c
profsup-cc -r main.o pg.o -o both.o && readelf -h both.o | grep -q 'REL ' && ! has_note both.o
ok $? '-r makes one object, without the note'
profsup-cc both.o -o p
profiled ./p 'which is linked and profiled'
cat >bare.c <<'END'
void _start(void);
void _start(void) { __builtin_trap(); }
END
profsup-cc -nostdlib -static bare.c -o bare && ! has_note bare && ! calls_mcount bare
ok $? 'a program without libc is left alone'
done_testing
