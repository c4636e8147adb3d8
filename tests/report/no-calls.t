#!/bin/sh
# What has no calls, or no time, says why.
. "$(dirname "$0")/../lib/testlib.sh"

cat >prog.c <<'X'
__attribute__((noipa)) void burn(void) { __asm__ volatile("nop; nop; nop; nop"); }
int main(void) { burn(); return 0; }
X
profsup-cc -O1 -o counts prog.c 2>err || bail "$(cat err)"
gcc -O1 -o plain prog.c || bail 'no compiler'
# calls_of PROGRAM: what stands in the place of the number of calls
calls_of() {
	profsup-report -q "$1" g | sed -n '1s/.* Hz, \(.*\); .*/\1/p'
}
for program in counts plain; do
	"$top/tests/diff/made.pl" $program g 100 burn=20
	case $program in
	counts) want='no calls yet' ;;
	plain) want='samples only' ;;
	esac
	is "$(calls_of $program)" "$want" "$program: $want"
done
"$top/tests/diff/made.pl" counts g 100 burn=20
strip -o stripped counts
is "$(calls_of stripped)" 'no calls yet' 'also of a program that was stripped'
"$top/tests/diff/made.pl" counts g 100 burn=20 'main->burn=1'
is "$(calls_of counts)" '1 call' 'one call is one'
done_testing
