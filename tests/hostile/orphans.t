#!/bin/sh
# A process whose creator is killed before it could tell of it belongs to that one, not to whoever reaps it.
. "$(dirname "$0")/../tap/testlib.sh"

cp "$(target hostile-reaper)" reaper
cp reaper forker
mkdir files
timeout -s KILL 60 profsup -d files ./reaper 150 2>err
is $? 0 'a reaper kills a program that forks all the time, 150 times'
is "$(find files -name 'gmon.reaper.*' | wc -l)" 1 'only the reaper has its name in its file'
between "$(find files -name 'gmon.forker.*' | wc -l)" 150 1000000 'there are the others'"'"' files'
done_testing
