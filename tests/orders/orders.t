#!/bin/sh
# The news of a few threads in every order: nobody is left stopped, and each process has one file.
. "$(dirname "$0")/../lib/testlib.sh"

orders=${PROFSUP_TARGETS:-$top/build/tests/targets}/../orders

# walk OPTIONS: all orders of so much.
walk() {
	"$orders" "$@" >all
	is "$? $(grep -c '^not ok' all)" '0 0' "$(sed -n 's/^ok 1 - //p' all)" || diag_file all
}
walk --actions=1 --kill=1 --stop=1 --sample=1 --detach=1
walk --actions=2
for also in $(rounds "" "kill stop sample detach"); do
	walk --actions=2 --"$also"=1
done
done_testing
