#!/bin/sh
# The supervisor runs out of descriptors: no profile is lost without a word, and threads take not all of them.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target hold)" prog
mkfifo in
# 100 images, each with a directory of its own to hold, that all wait for the pipe's end.
# shellcheck disable=SC2016 # for sh
prlimit --nofile=64:64 profsup sh -c 'for i in $(seq 100); do ./prog <in >>out & done; wait' 2>err &
exec 3>in
# shellcheck disable=SC2016 # for sh
wait_until 60 sh -c '[ "$(wc -l <out)" -eq 100 ]'
ok $? '100 programs run at once while the supervisor may have 64 descriptors'
exec 3>&-
wait $!
is $? 0 'they run to their end'
files=$(find . -name 'gmon.prog.*' | wc -l)
# How many depends on how many start at the same moment.
between "$files" 1 100 'some have a file'
lines=$(grep -c 'Too many open files' err)
ok $((files + lines < 100)) "for each that has none there is a line ($files files, $lines lines)"
done_testing
