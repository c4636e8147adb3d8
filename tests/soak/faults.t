#!/bin/sh
# Every system call that the supervisor makes fails, with each of six errors, once and, where that may last, for good: the
# program runs on, no file is wrong, what is lost is said.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target faults)" prog
perl "$top/tests/faults/faults.pl" "$(target ../faults/inject)" "$stage/bin/profsup" "$scratch/prog"
