#!/bin/sh
# More calls of one arc than 32 bits hold, which is what a record of the file has: counted on, and gprof adds up.
# (tests/soak/big-count.t makes that many.)
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

cp "$(target rt-big)" prog
exact 'a count that passes 3 * 2^32' ./prog early
is "$(calls prog "$(the_file prog)" t_leaf)" 12884901893 'gprof shows it'
done_testing
