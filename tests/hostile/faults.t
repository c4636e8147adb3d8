#!/bin/sh
# Some system calls of the supervisor fail: the program runs on, no file is wrong, what is lost is said.
# tests/soak/faults.t lets all of them fail.
# check-all: a time limit of 8 s
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target faults)" prog
perl "$top/tests/faults/faults.pl" "$(target ../faults/inject)" "$stage/bin/profsup" "$scratch/prog" --few
