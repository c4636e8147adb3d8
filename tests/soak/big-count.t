#!/bin/sh
# 4.4e9 calls of one arc, each of them made.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

cp "$(target rt-big)" prog
exact '4,400,000,000 calls' ./prog 4400000000
is "$(calls prog "$(the_file prog)" t_leaf)" 4400000000 'gprof shows them'
done_testing
