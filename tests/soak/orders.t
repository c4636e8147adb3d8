#!/bin/sh
# As orders/orders.t, of more.
. "$(dirname "$0")/../lib/testlib.sh"

orders=${PROFSUP_TARGETS:-$top/build/tests/targets}/../orders

walk() {
	"$orders" "$@" >all
	is "$? $(grep -c '^not ok' all)" '0 0' "$(sed -n 's/^ok 1 - //p' all)" || diag_file all
}
for also in kill stop sample detach; do
	walk --actions=2 --$also=1
done
done_testing
