#!/bin/sh
# Options that change how a program is compiled or linked: it is static all the same, has the note, and its
# profile can be read.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

# try WORD...: links with these.
try() {
	rm -f p
	profsup-cc "$@" -o p main.c work.c
	profiled ./p "$*"
}

try -static
try --static
try -static -pie
try -pie -static
try -no-pie
try -O0
try -O1
try -O2
try -O3
try -Os
try -Og -g
try -g -gsplit-dwarf
try -O2 -fomit-frame-pointer
try -O2 -fomit-frame-pointer -mfentry
try -pg
try -p
try -flto -O2
try -flto -O2 -ffat-lto-objects -fuse-linker-plugin
try -O2 -ffunction-sections -fdata-sections -Wl,--gc-sections
try -Wl,-z,separate-code
try -Wl,-z,noseparate-code
try -Wl,-z,relro,-z,now -Wl,-z,noexecstack
try -Wl,-O1 -Wl,--as-needed -Wl,--build-id=none
try -Wl,-E -rdynamic -Wl,-rpath,/nonexistent -Wl,--hash-style=gnu
try -Wl,--no-export-dynamic -static-libgcc
try -shared-libgcc
try -fPIC
try -D_FORTIFY_SOURCE=2 -O2 -fstack-protector-strong -fcf-protection -fstack-clash-protection
try -pthread
cat >copies.c <<'END'
#include <string.h>

extern int work(int x);

int
main(int argc, char **argv)
{
	char copy[4096];

	for (int i = 0; i < 1000; i++)
		work(i);
	return argc != 1 || strlen(argv[0]) >= sizeof(copy) || *strcpy(copy, argv[0]) == '\0';
}
END
profsup-cc -O2 -mcmodel=large -c copies.c && profsup-cc -O2 -mcmodel=large copies.o work.c -o p
profiled ./p '-mcmodel=large with calls of strlen and strcpy'
for words in '-mcmodel=large -fPIE -c' '-mcmodel=large -static-pie' '-mcmodel=large -mcmodel=small -c'; do
	# shellcheck disable=SC2086 # words
	shown $words a.c | grep -q -e -fno-pie
	is $? 1 "$words gets no -fno-pie"
done
try -fuse-ld=bfd

# Position-independent programs are static ones.
for words in -static-pie '-fPIE -pie' '-no-pie -pie' '-fPIE -Wl,-pie' '-fPIE -Xlinker -pie' \
	'-fPIE -pie -Wl,-E' '-fPIE -pie -Wl,--export-dynamic' '-fPIE -pie -Xlinker -export-dynamic' \
	'-fPIE -pie -rdynamic' '-fPIE -pie -Wl,-dynamic-linker,/nonexistent'; do
	# shellcheck disable=SC2086 # words
	try $words
	readelf -h p | grep -q 'DYN '
	ok $? "$words makes a position-independent program"
done
try -pie -no-pie
readelf -h p | grep -q 'EXEC '
ok $? 'the last of -pie and -no-pie counts'

# A stripped program has its note and its profile; gprof then reads the one with names.
profsup-cc main.c work.c -o p
cp p names
strip p
rm -f gmon.*
profsup -q ./p && has_note p && [ "$(calls names "$(the_file p)" work)" = 1000 ]
ok $? 'strip leaves note and profile'
profsup-cc -s main.c work.c -o p && has_note p
ok $? 'so does -s'

# Other linkers and compilers, where they are installed.
for ld in gold lld; do
	if profsup-cc -fuse-ld=$ld -Wl,--version main.c 2>/dev/null | grep -qi "$ld"; then
		try -fuse-ld=$ld
		try -fuse-ld=$ld -O2 -ffunction-sections -Wl,--gc-sections
		try -fuse-ld=$ld -Wl,--dynamic-linker=/nonexistent
	else
		skip "no ld.$ld here"
	fi
done
cat >main.cc <<'END'
#include <iostream>
#include <stdexcept>
#include <string>
#include <profil.h>

extern "C" int work(int x);

static void
thrower(int i)
{
	if (i % 2)
		throw std::runtime_error(std::to_string(work(i)));
	work(i);
}

int
main()
{
	int caught = 0;

	for (int i = 0; i < 1000; i++)
		try {
			thrower(i);
		} catch (const std::exception &e) {
			caught++;
		}
	moncontrol(0);
	work(1);
	std::cout << caught << std::endl;
	return caught != 500;
}
END
profsup-cc -c work.c
if command -v g++ >/dev/null; then
	PROFSUP_CC=g++ profsup-cc -O2 main.cc work.o -o plus
	profiled ./plus 'C++, with exceptions, by g++'
	PROFSUP_CC=g++ profsup-cc -flto -O3 -static-pie main.cc work.o -o plus && ./plus >/dev/null && is_ours ./plus
	ok $? 'C++, optimised at link time and position-independent'
else
	skip 'no g++ here'
fi
if command -v clang >/dev/null; then
	PROFSUP_CC=clang try -O2
	for words in -static-pie '-O2 -fPIE -pie' '-O2 -flto -pie' '-fPIE -pie -rdynamic' '-fPIE -pie -pg' \
		'-fPIE -pie -p' '-static-pie -rdynamic' -no-pie -nopie '-no-pie -fPIE -pie' '-pie -no-pie' \
		'-static-pie -no-pie' '-pie -fPIE -static-pie'; do
		# shellcheck disable=SC2086 # words
		PROFSUP_CC='clang -Werror' try $words
	done
	ln -s "$(command -v clang)" cc
	PATH=$PATH:$scratch PROFSUP_CC=$scratch/cc try -static-pie
	rm cc
	mkdir script
	printf '#!/bin/sh\nexec clang -Werror "$@"\n' >script/cc
	chmod 755 script/cc
	for words in -static-pie '-fPIE -pie'; do
		# shellcheck disable=SC2086 # words
		PROFSUP_CC=script/cc try $words
		# shellcheck disable=SC2086
		PATH=$scratch/script:$PATH try $words
	done
	rm -f p
	PROFSUP_CC=clang profsup-cc -fPIE -c main.c work.c
	PROFSUP_CC='clang -Werror' profsup-cc -pie -o p main.o work.o
	profiled ./p 'objects that clang compiled are linked to a position-independent program'
	readelf -h p | grep -q 'DYN '
	ok $? 'which it is'
	PROFSUP_CC='clang -Werror' try -O2 -fomit-frame-pointer
	printf '\t.section .note.GNU-stack,"",%%progbits\n' >z.s
	rm -f p
	(
		export PROFSUP_CC='clang -Werror'
		profsup-cc -c z.s && profsup-cc -c work.c && profsup-cc main.c work.o z.o -o p
		rm -f main.o work.o
		profsup-cc -E main.c >main.i && profsup-cc -c main.i &&
			profsup-cc -c -emit-llvm work.c && profsup-cc -c work.bc &&
			profsup-cc -c -x cpp-output main.i && profsup-cc -c -x ir work.bc &&
			profsup-cc -S -emit-llvm work.c && profsup-cc -c work.ll && profsup-cc main.o work.o -o again
	)
	profiled ./p 'clang finds no word of ours unused'
	profiled ./again 'nor when nothing is left to preprocess'
else
	skip 'no clang here'
fi
done_testing
