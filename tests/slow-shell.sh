#!/bin/sh
# slow-shell.sh [TEST...]: runs these tests (all of make check, if none is named; `make tests-built` before), with each process that
# a shell starts 40 ms late.  A test that goes on before what it has started, be it only by reading what an earlier run of it has
# printed to the same file, fails each time here, and once in thirty times elsewhere.
set -u
cd "$(dirname "$0")/.." || exit 2
lib=build/tests/slow-shell.so
gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -shared -fPIC -o $lib tests/lib/slow-shell.c -ldl || exit 2
# Those that measure say so in a comment.
# shellcheck disable=SC2046 # words
[ $# -gt 0 ] || set -- $(find tests -name '*.t' ! -path '*/soak/*' -exec grep -L '^# check-all: ' {} + | sort)
LD_PRELOAD=$PWD/$lib exec prove --timer --failures --comments -j$((2 * $(nproc))) "$@"
