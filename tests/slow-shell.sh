#!/bin/sh
# slow-shell.sh [NAME...]: make check, or only those tests (run/pipes), with each process that a shell starts 40 ms late.  A test
# that goes on before what it has started, be it only by reading what an earlier run of it has printed to the same file, fails each
# time here, and once in thirty times elsewhere.
set -u
cd "$(dirname "$0")/.." || exit 2
make -s tests-built || exit
lib=build/slow-shell.so
gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -shared -fPIC -o $lib tests/lib/slow-shell.c -ldl || exit 2
suite=check
[ $# -eq 0 ] || suite=check-one
LD_PRELOAD=$PWD/$lib exec make -s $suite T="$*"
