#!/bin/sh
# --sum: a user's program that needs a sum for each of its processes leaves room for other users' programs.
. "$(dirname "$0")/../lib/testlib.sh"
need_root

cp "$(target hostile-sums)" many
cp "$(target hold)" prog
profsup -q --sum sh -c 'setpriv --reuid 65534 --regid 65534 --clear-groups ./many 4200; echo go | ./prog 7' >out 2>err
is $? 7 'it ends as alone'
[ "$(grep -c ': many: no memory for its profile$' err)" -gt 1000 ]
ok $? 'there is no end of room for one user' || diag_file err
is "$(grep -c ': prog: ' err)/$(find . -name 'gmon.prog.*out' | wc -l)" 0/1 "the other's program has its file"
done_testing
