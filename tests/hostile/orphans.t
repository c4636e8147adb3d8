#!/bin/sh
# A process whose creator is killed before it could tell of it belongs to that one, not to whoever reaps it.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target hostile-reaper)" reaper
cp reaper forker
cp reaper vforker
mkdir files
timeout -s KILL 600 profsup -d files ./reaper 150 forker 2>err
is $? 0 'a reaper kills a program that forks all the time, 150 times'
is "$(find files -name 'gmon.reaper.*' | wc -l)" 1 'only the reaper has its name in its file'
between "$(find files -name 'gmon.forker.*' | wc -l)" 150 1000000 'there are the others'"'"' files'
rm -f files/*

timeout -s KILL 600 profsup -d files ./reaper 150 vforker 2>err
is $? 0 'and one that vforks all the time'
is "$(find files -name 'gmon.reaper.*' | wc -l)" 1 'only the reaper has its name in its file'
"$top/tests/lib/arcs.pl" -f vforker files/gmon.vforker.* | awk '$3 == "orphans" { print $4 }' >calls
# Each parent that was killed has the calls of all its children but perhaps the last one, who outlived it.
children=$(($(find files -name 'gmon.vforker.*' | wc -l) - 150))
between "$children" 150 1000000 'there are the others'"'"' files'
between "$(wc -l <calls)" 1 150 'the calls of the children are in the files of the 150 that were killed'
between "$(awk '{ n += $1 } END { print n }' calls)" $((10 * (children - 150))) $((10 * children)) 'and all are there'
done_testing
