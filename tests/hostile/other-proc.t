#!/bin/sh
# In a pid namespace with the /proc of another one, each number there is somebody else.
. "$(dirname "$0")/../lib/testlib.sh"
need_root

cp "$(target count)" prog
unshare -pf profsup ./prog 1000 >out 2>err
is $? 125 'profsup refuses to trace by another pid namespace'"'"'s /proc'
is "$(said err | wc -l)" 1 'one line tells of it'
grep -q '/proc' err
ok $? 'the line is about /proc' || diag_file err
unshare -pf --mount-proc profsup ./prog 1000 >out 2>err
is $? 0 'with the namespace'"'"'s own /proc it runs'
is "$(calls prog "$(the_file prog)" leaf)" 1000 'and the profile is whole'
done_testing
