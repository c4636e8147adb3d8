#!/bin/sh
# The thin path: a program linked by profsup-cc, run by profsup, read by gprof.
. "$(dirname "$0")/../lib/testlib.sh"

cp "$(target count)" prog
profsup ./prog 100000000 >out 2>err
is $? 0 'the exit status is the program'"'"'s'
is "$(cat out)" '' 'nothing is printed on stdout'
is "$(said err)" '' 'nothing is printed on stderr'
file=$(the_file prog)
is "$file" "$(ls gmon.prog.[0-9]*.out)" 'there is one file and it has program and pid in its name'
is "$(stat -c %a "$file")" 600 'its mode is 0600'
is "$(calls prog "$file" leaf)" 100000000 'gprof counts every call of leaf()'
is "$(calls prog "$file" a)" 1 'gprof counts one call of a()'
between "$(ticks "$file")" 2 1000 'there are samples'
gprof -b -q prog "$file" >graph 2>err
is "$(grep -c '50000000/100000000' graph)" 4 'the call graph has half of the calls from a() and half from b()'
is "$(cat err)" '' 'gprof has nothing to complain of'
done_testing
