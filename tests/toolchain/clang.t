#!/bin/sh
# C by clang, with glibc.
# check-all: needs clang
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/matrix.sh"

command -v clang >/dev/null || skip_all 'clang is not installed'
PROFSUP_CC=clang
export PROFSUP_CC

levels
c -O2 -static-pie -mfentry
is_pie ./known
ok $? 'with -static-pie it has no fixed addresses'
c -O2 -fPIE -pie
is_pie ./known
ok $? 'with -pie neither'

c -O2 -flto -fuse-ld=lld
c -O2 -flto=thin -fuse-ld=lld
c -O2 -flto -fuse-ld=lld -static-pie
c -O2 -flto -fuse-ld=gold
c -O2 -flto -fuse-ld=bfd
for linker in gold lld; do
	c -O2 -fuse-ld=$linker
	c -O2 -fuse-ld=$linker -ffunction-sections -fdata-sections -Wl,--gc-sections
done
refused 'no-dynamic-linker: unknown option' -static-pie -fuse-ld=gold
c -O2 -fuse-ld=lld -static-pie
c -O2 -fuse-ld=lld -Wl,-z,separate-code
c -O2 -ffunction-sections -Wl,--gc-sections
c -O2 -Wl,-z,separate-code
c -O2 -fno-plt
c -O2 -mcmodel=large
c -O2 -mcmodel=large -fPIE
# What clang 19 and GNU ld make of this crashes without profsup, too.
printf 'int main(void) { return 0; }\n' >plain.c
clang -O2 -mcmodel=large -static-pie -o plain plain.c && ./plain 2>err
case $? in
0) c -O2 -mcmodel=large -static-pie ;;
*) c -O2 -mcmodel=large -static-pie -fuse-ld=lld ;;
esac
c -O2 -fcf-protection=full
c -O2 -fno-integrated-as
c -O2 -fomit-frame-pointer

# Objects of both compilers, linked by either.
for both in 'gcc clang' 'clang gcc'; do
	known=${both% *} other=${both#* }
	rm -f known.o other.o map
	{
		PROFSUP_CC=$known profsup-cc -Wall -O2 -c -o known.o "$testdir/known.c" &&
			PROFSUP_CC=$other profsup-cc -Wall -O2 -c -o other.o "$testdir/other.c" &&
			PROFSUP_CC=$other profsup-cc -Wl,-Map,map -o known known.o other.o
	} >out 2>&1
	cp "$testdir/known.c.expect" expect
	known "$known and $other, linked by $other" ./known
done

# The runtime itself, by clang and its assembler.  The rest by it, too, is for PROFSUP_TEST_LONG=1: `make lint` has what
# clang warns of.
unset MAKEFLAGS MFLAGS MAKELEVEL
if [ "$(rounds 1 2)" = 1 ]; then
	make -s -C "$top" runtime CC=clang CFLAGS=-O2 B="$scratch/clang" WERROR=1 >out 2>&1
	ok $? 'make runtime CC=clang builds it without a warning' || diag_file out
	mkdir clang/bin
	cp "$stage/bin/profsup" "$stage/bin/profsup-cc" clang/bin
else
	make -s -j2 -C "$top" CC=clang CFLAGS=-O2 B="$scratch/clang" WERROR=1 >out 2>&1
	ok $? 'make CC=clang builds everything without a warning' || diag_file out
fi
PATH=$scratch/clang/bin:$PATH
c -O2
c -O2 -static-pie
PROFSUP_CC=gcc
c -O2
c -O2 -static-pie -mfentry
done_testing
