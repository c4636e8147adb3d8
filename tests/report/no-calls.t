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

# A run that was too short for a tick.
hint='no tick of CPU time was used: a higher rate (profsup -F) or a longer run has some'
# told_of FILE OPTION...: how often the hint is there, and how often one about few ticks
told_of() {
	told_file=$1
	shift
	if [ "${1:-}" = --list ]; then
		printf '%s\0' "$PWD/counts" "$PWD/$told_file" | profsup-report --list >out 2>err
	else
		profsup-report "$@" counts "$told_file" >out 2>err
	fi
	echo "$(grep -cxF "$hint" out) $(grep -c 'sees more of a short run' out)"
}
for rate in 100 5000; do
	"$top/tests/diff/made.pl" counts short.$rate $rate 'main->burn=3'
	"$top/tests/diff/made.pl" counts long.$rate $rate 'main->burn=3' burn=50
	for option in --flat --graph --list -q; do
		is "$(told_of short.$rate $option) $(told_of long.$rate $option)" '1 0 0 0' "$rate Hz, $option: that there is no tick is told" ||
			diag_file out
	done
done
"$top/tests/diff/made.pl" counts few 100 'main->burn=3' burn=2
is "$(told_of few -q)" '0 1' 'few ticks have the line that they had'
done_testing
