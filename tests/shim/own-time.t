#!/bin/sh
# The time that mcount itself takes is nobody's: it is booked to the symbol that gprof leaves out.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

cat >calls.c <<'EOF2'
#include "rt.h"
COUNTED void t_leaf(void) { __asm__ volatile(""); }
int
main(void)
{
	for (long i = 0; i < 50000000; i++)
		t_leaf();
	tell_arc("main", "t_leaf", 50000000);
	return 0;
}
EOF2

# runtime_ticks PROGRAM FILE: "at mcount / elsewhere in the runtime"
runtime_ticks() {
	perl -e '
		my ($program, $file) = @ARGV;
		my %at = map { (split)[2, 0] } grep { / (mcount|__profsup_runtime_(low|high))$/ } `nm $program`;
		my ($low, $high, $mcount) = map { hex $at{$_} } "__profsup_runtime_low", "__profsup_runtime_high", "mcount";
		open my $f, "<:raw", $file or die;
		local $/;
		my $data = <$f>;
		my ($here, $else, $at) = (0, 0, 20);
		while (ord substr($data, $at, 1) == 0 && $at < length $data) {
			my ($from, $to, $n) = unpack "Q<Q<V", substr($data, $at + 1, 20);
			my @bin = unpack "v$n", substr($data, $at + 41, 2 * $n);
			for my $i (grep { $bin[$_] } 0 .. $#bin) {
				my $pc = $from + int($i * ($to - $from) / $n);
				next if $pc < $low || $pc >= $high;
				if ($pc >= $mcount && $pc < $mcount + 4) { $here += $bin[$i] } else { $else += $bin[$i] }
			}
			$at += 41 + 2 * $n;
		}
		print "$here / $else\n"' "$1" "$2"
}

for flags in -O2 '-O2 -mfentry' '-O2 -static-pie'; do
	# shellcheck disable=SC2086 # words
	profsup-cc -w -I"$top/tests/targets/runtime" $flags -o calls calls.c
	exact_file=calls
	exact "a program that does nothing but calls, $flags" -F 1000 ./calls
	is "$(runtime_ticks calls "$(the_file calls)" | sed 's/^[1-9][0-9]* /many /')" 'many / 0' \
		"$flags: ticks in the runtime are all at mcount"
	is "$(gprof -b -p calls "$(the_file calls)" 2>/dev/null | grep -cE ' (_?mcount|__fentry__|__profsup_[a-z_]*)$')" 0 \
		"$flags: gprof does not show them"
done
done_testing
