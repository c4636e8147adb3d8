#!/bin/sh
# A process whose creator is killed before it could tell of it belongs to that one, not to whoever reaps it.
. "$(dirname "$0")/../tap/testlib.sh"

cp "$(target hostile-reaper)" reaper
cp reaper forker
cp reaper vforker
mkdir files
timeout -s KILL 60 profsup -d files ./reaper 150 forker 2>err
is $? 0 'a reaper kills a program that forks all the time, 150 times'
is "$(find files -name 'gmon.reaper.*' | wc -l)" 1 'only the reaper has its name in its file'
between "$(find files -name 'gmon.forker.*' | wc -l)" 150 1000000 'there are the others'"'"' files'
rm -f files/*

timeout -s KILL 60 profsup -d files ./reaper 150 vforker 2>err
is $? 0 'and one that vforks all the time'
is "$(find files -name 'gmon.reaper.*' | wc -l)" 1 'only the reaper has its name in its file'
"$top/tests/tap/arcs.pl" -f vforker files/gmon.vforker.* | awk '$3 == "orphans" { print $4 }' | sort -n | uniq -c >calls
between "$(awk '$2 == 10 { print $1 }' calls)" 150 1000000 'the children have their calls'
is "$(awk '$2 != 10 { print $2 }' calls)" '' 'and nobody else has any of them' || diag_file calls
is "$(find files -name 'gmon.vforker.*' | wc -l)" "$(awk '$2 == 10 { print $1 + 150 }' calls)" \
	'without calls are only the 150 that were killed'
done_testing
