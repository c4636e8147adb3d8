#!/bin/sh
# What is no program of ours passes through profsup-cc untouched: no -pg, no runtime.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

profsup-cc -fPIC -c work.c -o pg.o
for words in '-r main.o work.o -o all.o' '-nostartfiles -c work.c' '-Wl,-r work.o' '-Xlinker -r work.o' '-nostdlib -r work.o' \
	'-m32 -c work.c' '-m32 -shared work.c' '-v' '-print-file-name=x' '-shared work.o -o'; do
	# shellcheck disable=SC2086 # words
	is "$(shown $words 2>>notes)" "$(printf '<%s> ' $words)" "$words"
done
# What such a link may need of objects that were compiled with -pg comes last.
for words in '-shared work.c -o x.so' 'work.c -o x.so -shared' '-nostdlib work.c' '-nodefaultlibs work.o' \
	'-Wl,-soname,x,-shared work.o' '--shared work.o' '-nodefaultlibs -shared work.o -lc' \
	'-shared -pie -Wl,-Bdynamic -fomit-frame-pointer work.c'; do
	# shellcheck disable=SC2086 # words
	is "$(shown $words 2>>notes)" "$(printf '<%s> ' $words -Xlinker PREFIX/lib/profsup/libuncounted.a)" "$words"
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
cat >bare.c <<'END'
void _start(void);
void
_start(void)
{
#ifdef __x86_64__
	__asm__ volatile("mov $60, %eax; xor %edi, %edi; syscall");
#else
	__asm__ volatile("mov x8, 93; mov x0, 0; svc 0");
#endif
}
END
for words in -pg '-pg -mfentry'; do
	[ "$(uname -m)" = x86_64 ] || words=-pg
	# shellcheck disable=SC2086 # words
	rm -f bare && profsup-cc $words -c bare.c && calls_mcount bare.o && profsup-cc -nostdlib -static bare.o -o bare && ./bare
	ok $? "nor does it lack mcount if its objects were compiled before, with $words"
done
nm -D libpg.so | grep -w mcount
is $? 1 'a shared library has an mcount of its own, which no other can see'
if command -v musl-gcc >musl.path; then
	PROFSUP_CC=musl-gcc
	export PROFSUP_CC
	profsup-cc -fPIC -c work.c -o musl.o && profsup-cc -shared musl.o -o libmusl.so 2>err &&
		musl-gcc main.c ./libmusl.so -o dynmusl && ./dynmusl
	ok $? 'so has one for musl, whose libc has none'
else
	skip 'no musl-gcc here'
fi
done_testing
