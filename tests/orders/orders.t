#!/bin/sh
# The news of a few threads in every order: nobody is left stopped, and each process has one file.
. "$(dirname "$0")/../lib/testlib.sh"

orders=${PROFSUP_TARGETS:-$top/build/tests/targets}/../orders

# walk OPTIONS: all orders of so much, or some.
walk() {
	"$orders" "$@" >all
	is "$? $(grep -c '^not ok' all)" '0 0' "$(sed -n 's/^ok 1 - //p' all)" || diag_file all
}
walk --actions=1 --kill=1 --stop=1 --sample=1 --detach=1
walk --actions=2
# Of more threads that do more, some orders, the same each time.
walk --threads=2 --actions=2 --stop=1 --some=300000
walk --threads=3 --actions=4 --kill=1 --stop=2 --sample=2 --detach=1 --some="$(rounds 100000 10000000)"
for also in $(rounds "" "kill stop sample detach"); do
	walk --actions=2 --"$also"=1
done
done_testing
