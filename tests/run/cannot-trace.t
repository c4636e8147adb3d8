#!/bin/sh
# san: traced (tests/san.sh: no look for leaks)
# A program that has a tracer already, here because strace traces profsup and what it starts, can't get another: profsup
# says so and does not run it.  (Yama's refusals are in tests/vm/yama.sh.)
. "$(dirname "$0")/../lib/testlib.sh"

command -v strace >/dev/null || skip_all 'needs strace'

strace -f -o /dev/null profsup touch ran >out 2>err
is $? 125 'the exit status is 125'
is "$(said err | wc -l)" 1 'there is one line on stderr' || diag_file err
grep -q "^profsup: can't trace the program.*: Operation not permitted$" err
ok $? 'which gives the reason of the kernel' || diag_file err
[ ! -e ran ]
ok $? 'the program is not run'
is "$(cat out)" '' 'nothing is printed on stdout'
done_testing
