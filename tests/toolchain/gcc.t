#!/bin/sh
# C by gcc, with glibc.
# check-all: needs lld
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/matrix.sh"

PROFSUP_CC=gcc
export PROFSUP_CC

levels
is_pie ./known
is $? 1 'without -static-pie it has fixed addresses'
c -O2 -static-pie -mfentry
is_pie ./known
ok $? 'with -static-pie it has not'
c -O2 -fPIE -pie
is_pie ./known
ok $? 'with -pie neither'

c -O2 -flto
c -O2 -flto -static-pie
c -O2 -flto -fuse-ld=gold
c -O2 -flto -ffat-lto-objects -fuse-ld=lld
refused 'undefined symbol: main' -O2 -flto -fuse-ld=lld
for linker in bfd gold lld; do
	c -O2 -fuse-ld=$linker
	c -O2 -fuse-ld=$linker -ffunction-sections -fdata-sections -Wl,--gc-sections
	c -O2 -fuse-ld=$linker -Wl,-z,relro,-z,now
	case $linker in
	gold) refused 'no-dynamic-linker: unknown option' -static-pie -fuse-ld=gold ;;
	*)
		c -O2 -fuse-ld=$linker -static-pie
		c -O2 -fuse-ld=$linker -Wl,-z,separate-code
		c -O2 -fuse-ld=$linker -static-pie -Wl,-z,separate-code -ffunction-sections -Wl,--gc-sections
		;;
	esac
done
c -O2 -Wl,-z,noseparate-code
c -O2 -fno-plt
c -O2 -fno-plt -static-pie
c -O2 -mcmodel=medium
c -O2 -mcmodel=large
c -O2 -mcmodel=large -fPIE
c -O2 -mcmodel=large -static-pie
c -O2 -mcmodel=large -mfentry
c -O2 -mcmodel=large -mfentry -fPIE
c -O2 -fcf-protection=full
c -O2 -fcf-protection=none -fno-asynchronous-unwind-tables
c -O2 -fstack-protector-all -fstack-clash-protection -D_FORTIFY_SOURCE=2
c -O2 -mno-red-zone -mstackrealign
c -O2 -fomit-frame-pointer
c -O2 -march=native -ftree-vectorize
done_testing
