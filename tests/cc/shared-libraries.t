#!/bin/sh
# Programs that are to be linked with shared libraries, which static ones can't be: with the archive beside, where there
# is one, else by the compiler alone, and a line says so.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

mkdir both only-shared
profsup-cc -fPIC -c work.c
for dir in both only-shared; do
	cc -shared work.o -o $dir/libwork.so.1.2 -Wl,-soname,libwork.so.1 || bail "$dir"
	ln -s libwork.so.1.2 $dir/libwork.so.1
	ln -s libwork.so.1 $dir/libwork.so
done
ar rc both/libwork.a work.o
advice='build one (configure --disable-shared, cmake -DBUILD_SHARED_LIBS=OFF, meson -Ddefault_library=static; no SHARED, no shared_library()), or take samples (profsup -a)'

# alone LIBRARY WHAT WORD...: the compiler links it, and it works.
alone() {
	library=$1 what=$2
	shift 2
	rm -f p
	profsup-cc -o p "$@" 2>err
	is "$? $(cat err)" "0 profsup-cc: p is not profiled: it needs $library, and there is no archive of it: $advice" \
		"$what: one line says why it is not profiled"
	./p && ! is_ours p
	ok $? "$what: it runs"
}

for file in libwork.so libwork.so.1 libwork.so.1.2; do
	rm -f p
	profsup-cc -o p main.c both/$file 2>err
	is "$? $(cat err)" '0 ' "$file beside an archive is linked"
	profiled ./p 'and profiled'
	alone only-shared/$file $file main.c only-shared/$file -Wl,-rpath,"$PWD/only-shared"
done
rm -f p
profsup-cc -o p main.c -Lboth -lwork
profiled ./p '-l finds the archive, as ever'
alone only-shared/libwork.so -l main.c -Lonly-shared -lwork -Wl,-rpath,"$PWD/only-shared"
alone only-shared/libwork.so '-l and -L as words of their own' main.c -L only-shared -l work -Wl,-rpath,"$PWD/only-shared"
for words in '-Lonly-shared -l:libwork.so' '-Lonly-shared -l:libwork.so.1' '-Wl,-Lonly-shared -lwork' \
	'-Lonly-shared -Wl,-lwork' '-Xlinker -Lonly-shared -Xlinker -lwork' '-Wl,only-shared/libwork.so' \
	'-Wl,--as-needed,only-shared/libwork.so,--no-as-needed' '-Xlinker only-shared/libwork.so'; do
	library=only-shared/libwork.so
	[ "${words%.1}" = "$words" ] || library=$library.1
	# shellcheck disable=SC2086 # words
	alone $library "$words" main.c $words -Wl,-rpath,"$PWD/only-shared"
done
export LIBRARY_PATH=only-shared
alone only-shared/libwork.so 'a directory of LIBRARY_PATH' main.c -lwork -Wl,-rpath,"$PWD/only-shared"
unset LIBRARY_PATH
for words in '-Wl,-Lboth -lwork' '-Wl,both/libwork.so' '-Xlinker both/libwork.so' '-Wl,-soname,both/libwork.so work.o'; do
	rm -f p
	# shellcheck disable=SC2086 # words
	profsup-cc -o p main.c $words 2>err
	is "$? $(cat err)" '0 ' "$words is linked"
	profiled ./p 'and profiled'
done
profsup-cc -o p main.c -Lonly-shared -Lboth -lwork 2>err
is "$? $(cat err)" '0 ' 'an archive further on is enough'
profiled ./p 'with which it is profiled'
mkdir fake
cp only-shared/libwork.so.1.2 fake/libm.so
printf '#include <math.h>\nint main(int argc, char **argv) { (void)argv; return cos(argc - 1) != 1; }\n' >cos.c
profsup-cc -o p cos.c -Lfake -lm 2>err
is "$? $(cat err)" '0 ' "so is one among the compiler's own"
is_ours p
ok $? 'which is linked'
echo "main.c only-shared/libwork.so -Wl,-rpath,$PWD/only-shared" >words
alone only-shared/libwork.so 'words in a file' @words
echo 'main.c both/libwork.so' >words
profsup-cc -o p @words && profiled ./p 'an archive instead of a word in a file'
! profsup-cc -o nope main.c -lno-such-library 2>err && grep -q 'cannot find -lno-such-library' err
ok $? 'what is nowhere is the linker'"'"'s error'
! grep -q profsup-cc: err
ok $? 'of which we say nothing'
for library in /usr/lib/*/libgcc_s.so.1 /lib/*/libgcc_s.so.1; do
	[ -f "$library" ] && break
done
cp "$library" libsystem.so && ! profsup-cc -o nope main.c work.c -lgcc_s 2>err && ! grep -q profsup-cc: err
ok $? 'a library of the system that has no archive is left to the linker, for a configure script to find'

# What can't be profiled at all.
for words in '-m32 main.c work.c' '-mx32 main.c work.c'; do
	# shellcheck disable=SC2086 # words
	profsup-cc -o nope $words 2>err
	is "$? $(cat err)" "125 profsup-cc: ${words%% *}: the runtime is for 64 bits: a program can't be linked so" "$words"
done
for kind in address thread leak memory undefined,address; do
	profsup-cc -o nope -fsanitize=$kind main.c work.c 2>err
	is "$? $(cat err)" "125 profsup-cc: -fsanitize=$kind: its runtime can't be in a static program, and others are not profiled" "-fsanitize=$kind"
done
[ ! -e nope ]
ok $? 'and nothing is linked'
profsup-cc -o p -fsanitize=address -fno-sanitize=address -m32 -m64 main.c work.c
profiled ./p 'what is taken back is no matter'
profsup-cc -o p -fsanitize=undefined main.c work.c
profiled ./p '-fsanitize=undefined can be linked'
if command -v clang >clang.path; then
	for kind in undefined integer vptr,alignment; do
		PROFSUP_CC=clang profsup-cc -o none -fsanitize=$kind main.c work.c 2>err
		is "$? $(cat err)" "125 profsup-cc: -fsanitize=$kind: its runtime can't be in a static program, and others are not profiled" "clang -fsanitize=$kind"
	done
	for words in -fsanitize-trap=undefined -fsanitize-undefined-trap-on-error -fsanitize-minimal-runtime \
		-fno-sanitize=undefined -fno-sanitize=all; do
		rm -f p
		PROFSUP_CC=clang profsup-cc -o p -fsanitize=undefined $words main.c work.c
		profiled ./p "clang -fsanitize=undefined $words can be linked"
	done
	PROFSUP_CC=clang profsup-cc -o none -fsanitize=undefined -fno-sanitize=vptr main.c work.c 2>err
	is $? 125 'clang -fsanitize=undefined remains when one of its checks is taken back'
	rm -f p
	PROFSUP_CC=clang profsup-cc -o p -fsanitize=local-bounds main.c work.c
	profiled ./p 'clang -fsanitize=local-bounds has no runtime'
else
	skip 'no clang here'
fi
profsup-cc -fsanitize=address -c work.c -o asan.o
ok $? 'compiling is no matter, either'
done_testing
