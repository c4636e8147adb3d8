#!/bin/sh
# `pkg-config --static --cflags --libs profil` does for people who set their own flags what profsup-cc does.
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/cclib.sh"

export PKG_CONFIG_PATH="$stage/lib/pkgconfig"
unset PKG_CONFIG_LIBDIR PKG_CONFIG_SYSROOT_DIR

flags() {
	pkg-config --static "$@" profil
}

pkg-config --exists --print-errors profil
ok $? 'pkg-config finds profil'
is "$(pkg-config --modversion profil)" "$(profsup -V 2>&1 | grep -o '[0-9][0-9.]*' | head -n 1)" 'its version is profsup'"'"'s'
# shellcheck disable=SC2046 # words
gcc -O2 -o a main.c work.c $(flags --cflags --libs)
profiled ./a 'in one command the program is profiled'
# shellcheck disable=SC2046
gcc -O2 $(flags --cflags) -c main.c && gcc $(flags --cflags) -c work.c && gcc -o b main.o work.o $(flags --libs)
profiled ./b 'so it is when compiled and linked by two'
# shellcheck disable=SC2046
gcc -o c main.o work.o -lm $(flags --libs) -lm
profiled ./c 'so it is between other libraries'
cat >calls.c <<'END'
#include <profil.h>
extern int work(int x);

int
main(void)
{
	for (int i = 0; i < 1000; i++)
		work(i);
	moncontrol(0);
	work(0);
	return profil(0, 0, 0, 0, 0, -1) != 0;
}
END
# shellcheck disable=SC2046
gcc -o d calls.c work.c $(flags --cflags --libs)
profiled ./d 'a program that calls moncontrol and the six-argument profil is profiled'
# shellcheck disable=SC2046
profsup-cc -o e calls.c work.c $(flags --cflags --libs)
profiled ./e 'the flags and profsup-cc go together'

mkdir 'else where'
cp -R "$stage/lib" "$stage/include" 'else where'
PKG_CONFIG_PATH="$scratch/else where/lib/pkgconfig"
case $(flags --cflags --libs) in
*-I"$scratch/else"*-L"$scratch/else"*" $scratch/else"*gcrt0.o*) ;;
*) false ;;
esac
ok $? 'a copied installation names itself only'
eval "gcc -o f calls.c work.c $(flags --cflags --libs)"
profiled ./f 'and works, with a space in its path'
ln -s 'else where' link
PKG_CONFIG_PATH=$scratch/link/lib/pkgconfig
# shellcheck disable=SC2046
gcc -o g calls.c work.c $(flags --cflags --libs)
profiled ./g 'and through a link'
done_testing
