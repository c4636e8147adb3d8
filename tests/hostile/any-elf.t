#!/bin/sh
# -a -g: code is mapped from files whose symbols, names, or call frame information no linker makes: what takes too long to
# read is given up so early that the rest is known, names have no control characters, and another program loses nothing.
# san: no room
# check-all: samples of short programs
. "$(dirname "$0")/../lib/hostile.sh"

gcc -O1 -D_GNU_SOURCE -o any-elf "$(source_of_target any-elf)" || bail 'no compiler'
cp "$testdir/any-elf.pl" bin
# Of far_names the end of each name is 60 MB away; each row of eh_reg_each has room for 33 million registers.
few='plain section_strings eh_hdr eh_hdr_far eh_jumps headers entsize0 compressed big_endian'
mkdir -m 755 files
for kind in $few names far_names eh_reg_each; do
	perl bin/any-elf.pl "$kind" "files/$kind" || bail "$kind"
done
chmod 666 files/*

# named FRAME: whether a function of that name is in the program's stacks.
named() {
	perl "$top/tests/lib/stacks.pl" folded stacks.any-elf.* | grep -q "$1"
}

check() {
	for sampler in ptrace perf; do
		rm -f gmon.* stacks.*
		# shellcheck disable=SC2086 # words
		[ $sampler = ptrace ] || $run -q -d . --sampler=perf true 2>/dev/null || continue
		# shellcheck disable=SC2016,SC2086 # an inner shell expands its own; words
		attack "-a -g -F 1000 --report --sampler=$sampler" sh -c 'cd "$1" && shift && exec ../any-elf 0.05 "$@"' - "$scratch/files" $few
		unharmed "$sampler"
		is "$(tail -n 1 "$scratch/out")" 'done' "$who$sampler: and prints the same"
	done
	for kind in names far_names eh_reg_each; do
		rm -f gmon.* stacks.*
		attack '-a -g -F 1000 --report' "$scratch/any-elf" 0.1 "$scratch/files/$kind"
		unharmed "$kind"
		named "$([ "$kind" = names ] && echo 'red;\|red' || echo turns)"
		ok $? "$who$kind: its function has a name"
		LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]')" "$scratch/err"
		is $? 1 "$who$kind: no control characters are printed"
	done
}

each_way check
done_testing
