#!/bin/sh
# Call graphs that no program has but a file may claim: as deep, as wide and as tangled as can be.  The program never
# runs; each of its functions has a tick in each of the files.
#
# shellcheck disable=SC2016 # perl's
. "$(dirname "$0")/../lib/testlib.sh"
. "$testdir/exportlib.sh"

need jq jq
perl -e '
	print "\t.text\n\t.globl _start\n_start:\n";
	print "\t.type f$_, %function\nf$_: .skip 16\n\t.size f$_, 16\n" for 0 .. 4999;' >code.s
gcc -nostdlib -static -Wl,-Ttext=0x400000,--build-id=none -o code code.s 2>cc.err || bail "$(cat cc.err)"

# graph CODE: a file with the arcs that the perl code makes by arc(CALLER, CALLEE, CALLS)
graph() {
	perl -e '
		print "gmon", pack "Vx12", 1;
		print pack "CQ<Q<VVa15av*", 0, 0x400000, 0x400000 + 80000, 20000, 100, "", "s", (1, 0, 0, 0) x 5000;
		sub arc { my ($from, $to, $n) = @_; print pack "CQ<Q<V", 1, 0x400004 + 16 * $from, 0x400004 + 16 * $to, $n }
		eval shift; die $@ if $@' "$1"
}

# all WHAT: each format is written within a minute, and each tick is there
all() {
	for format in callgrind folded json pprof html; do
		timeout 60 profsup-export -q --format=$format -o out.$format code ticks 2>err
		ok $? "$1: $format is written" || diag_file err
	done
	is "$(sed -n 's/^totals: //p' out.callgrind)" '5000 50000000000' "$1: callgrind has all ticks"
	is "$(perl -ne '/([^;]+) (\d+)$/ and $sum{$1} += $2; END { print scalar(grep { $_ == 1 } values %sum) }' out.folded)" 5000 \
		"$1: folded has the tick of each function"
	is "$(jq -c '[.totals.ticks, ([.functions[].self_ticks] | add)]' out.json)" '[5000,5000]' "$1: json has all ticks"
}

graph 'arc($_, $_ + 1, 1) for 0 .. 4998' >ticks
all 'a chain of 5,000'
is "$(jq '.functions[] | select(.name == "f0").total_ticks' out.json)" 5000 'a chain of 5,000: all is below the first'
is "$(awk -F ';' 'NF > most { most = NF } END { print most }' out.folded)" 512 'a chain of 5,000: stacks are as deep as they may be'

# Between two functions of one rank, two ways: 2^1,666 chains.
graph 'for (my $i = 0; $i + 3 < 5000; $i += 3) { arc($i, $i + 1, 1); arc($i, $i + 2, 1); arc($i + $_, $i + 3, 1) for 1, 2 }' >ticks
all 'chains without number'

graph 'for my $i (0 .. 4999) { arc($i, ($i + 1) % 5000, 1); arc($i, (7 * $i) % 5000, 1) }' >ticks
all 'one cycle of 5,000'
is "$(jq '[.functions[] | select(.cycle == 1)] | length' out.json)" 5000 'one cycle of 5,000: all are in it'

graph 'for my $i (0 .. 4999) { arc($i, ($i * $_) % 5000, 1) for 2, 3, 5; arc($i, 4999 - $i, 4294967295) }' >ticks
all 'a tangle'

graph 'for my $i (1 .. 4999) { arc(0, $i, 1); }' >ticks
all 'one caller of all'
is "$(jq '.functions[] | select(.name == "f0").total_ticks' out.json)" 5000 'one caller of all: all is below it'
done_testing
