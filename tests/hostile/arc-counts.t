#!/bin/sh
# A target that claims 2^64 calls of many arcs costs no more than an honest one.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target hostile-arcs)" prog
timeout -s KILL 60 profsup ./prog 3 2>err
is $? 0 'the target runs to its end'
is "$(find . -name 'gmon.*' | wc -l)" 4 'each of its processes has a file'
is "$(find . -name 'gmon.*' -size +8M | wc -l)" 0 'none of them is larger than 8 MB'
gprof -b -p -z prog "$(find . -name 'gmon.*' | head -n 1)" >/dev/null 2>err
is $? 0 'gprof reads it'
done_testing
