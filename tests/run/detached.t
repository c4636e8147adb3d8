#!/bin/sh
# Threads that end by themselves just as another one ends their process: the last that is told of has no memory any more.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target detached)" prog
profsup ./prog 300 2>err
is "$?$(said err)" 0 'processes end while their detached threads do'
is "$(find . -name 'gmon.*' | wc -l)" 301 'each has a file'
perl "$top/tests/lib/arcs.pl" -f prog gmon.* >arcs
is "$(grep -c ' t_work 100$' arcs)" 300 'with every call'
done_testing
