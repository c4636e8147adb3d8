#!/bin/sh
# A signal handler at each instruction of a call that makes the same call, or never returns: each call is counted once or,
# if it was left before that, not at all.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

# steps FILE LOW WHAT: the stepped call had at least so many instructions, so mcount was among them, and was interrupted at
# each but those that end the stepping.
steps() {
	between "$(awk '$1 == "instructions" { print $2 }' "$1")" "$2" 999 "$3: $2 instructions or more"
	between "$(awk '{ n[$1] = $2 } END { print n["instructions"] - n["reached"] }' "$1")" -99 6 "$3: at each"
}

cp "$(target rt-step)" mcount
# shellcheck disable=SC2046 # flags
profsup-cc -O2 -w -mfentry $(sed -n 's|^// CFLAGS: ||p' "$top/tests/targets/runtime/rt-step.c") -o fentry "$top/tests/targets/runtime/rt-step.c"

for how in mcount fentry; do
	while read -r kind low; do
		# What is C is the same for both.
		case $how$kind in
		fentryfirst | fentryshared | fentryfull) continue ;;
		esac
		exact "$how: a handler that makes the call it interrupts, at each instruction, $kind" ./$how same "$kind"
		steps out "$low" "$how, $kind"
	done <<-'END'
		first 150
		new 80
		known 20
		shared 60
		full 100
	END

	exact "$how: a thread that ends at each instruction: what it has counted stays, and the next one counts on" ./$how end
	steps out 80 "$how, end"

	exact "$how: siglongjmp out of each instruction: a call that was counted then stays so, and no other" ./$how jump
	between "$(awk '$1 == "reached" { print $2 }' out)" 250 380 'at each'
	between "$(awk '$1 == "before" { print $2 }' out)" 100 380 'some are left before they are counted'
	between "$(awk '$1 == "after" { print $2 }' out)" 10 280 'and some after that'
done
done_testing
