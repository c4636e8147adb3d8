#!/bin/sh
# -g: the time of a function with all that it calls, next to those who know: callgrind, which counts each instruction, uftrace,
# which takes the time of each call, and perf, which samples as we do.  All time is arithmetic, so shares can be compared.
# check-all: shares and sums of CPU time, as measured
. "$(dirname "$0")/../lib/testlib.sh"

functions='serve handle_login handle_static audit verify hash'
perf=$(command -v perf || find /usr/bin -name 'perf_[0-9]*' | head -n 1)

profsup-cc -O2 -g -o prog "$testdir/inclusive.c" >cc.out 2>&1 || bail "$(cat cc.out)"

# below FILE: of folded stacks, "FUNCTION ticks SHARE" with all that it calls, 0 to 1 of what main has
below() {
	awk -v names="$functions" '
		{ stack = ";" $1 ";"; main = index(stack, ";main;") > 0; all += main ? $NF : 0
		  for (i = split(names, name); i > 0; i--) if (main && index(stack, ";" name[i] ";")) n[name[i]] += $NF }
		END { for (i = split(names, name); i > 0; i--) print name[i], n[name[i]] + 0, all ? n[name[i]] / all : 0, all + 0 }' "$1" | sort
}

# agree WHOSE FILE: the shares in `measured` are those of FILE ("FUNCTION SHARE [SAMPLES]"), within 2 % of all and chance.
agree() {
	sort "$2" | join measured - >both
	is "$(wc -l <both)" 6 "$1: it knows all functions" || diag_file both
	awk '{ by = 0.02 + 4 * sqrt($5 / $4) + (NF > 5 ? 4 * sqrt($5 / $6) : 0)
	       if ($3 - $5 > by || $5 - $3 > by) print $1 ": " $3 ", not " $5 " by " by }' both >differences
	is "$(cat differences)" '' "$1: time is where it finds it" || diag_file both
}

# Shares do not depend on how long all of it takes.
valgrind -q --tool=callgrind --callgrind-out-file=callgrind.out ./prog 100 2>callgrind.err || bail "callgrind: $(cat callgrind.err)"
callgrind_annotate --inclusive=yes --threshold=100 callgrind.out |
	perl -ne 'print "$2 $1\n" if /^\s*([\d,]+) \([^)]*\)\s+\S*:(\w+) \[/' | tr -d , |
	awk -v names="$functions main" 'index(" " names " ", " " $1 " ") { n[$1] = $2 } END { for (f in n) if (f != "main") print f, n[f] / n["main"] }' \
		>by_callgrind

gcc -O2 -pg -o dynamic "$testdir/inclusive.c" >cc.out 2>&1 || bail "$(cat cc.out)"
if command -v uftrace >/dev/null; then
	uftrace record --no-libcall -d traced ./dynamic 15000 >uftrace.err 2>&1 || bail "uftrace: $(cat uftrace.err)"
	uftrace report -d traced 2>uftrace.err | awk -v names="$functions main" '
		BEGIN { unit["s"] = 1e9; unit["ms"] = 1e6; unit["us"] = 1e3; unit["ns"] = 1 }
		index(" " names " ", " " $NF " ") { n[$NF] = $1 * unit[$2] }
		END { for (f in n) if (f != "main") print f, n[f] / n["main"] }' >by_uftrace
else
	skip 'uftrace is not installed'
fi

for sampler in $(samplers); do
	rm -f gmon.* stacks.*
	profsup -q -g --sampler="$sampler" -F 1000 ./prog 15000 2>err
	is "$? $(cat err)" '0 ' "$sampler: it runs"
	perl "$top/tests/lib/stacks.pl" folded stacks.* >stacks
	sed '/;_mcount /d' stacks >folded
	below folded >measured
	between "$(awk 'NR == 1 { print $4 }' measured)" 200 100000 "$sampler: there are samples"
	agree "$sampler, callgrind" by_callgrind
	[ ! -f by_uftrace ] || agree "$sampler, uftrace" by_uftrace
	if [ "$sampler" = perf ] && [ -n "$perf" ]; then
		"$perf" record -q -e cpu-clock -F 1000 -g -o perf.data ./prog 15000 >perf.err 2>&1 || bail "perf: $(cat perf.err)"
		"$perf" script -F ip,sym -i perf.data 2>perf.err |
			awk '!NF { if (s != "") n[s]++; s = "" } NF { s = $2 (s == "" ? "" : ";" s) } END { if (s != "") n[s]++; for (s in n) print s, n[s] }' >perf.folded
		below perf.folded | awk '{ print $1, $3, $4 }' >by_perf
		agree 'perf record -g' by_perf
	fi

	# And so it arrives in callgrind_annotate.
	profsup-export -q --format=callgrind -o exported prog gmon.*
	callgrind_annotate --inclusive=yes --threshold=100 --show=ticks exported 2>annotate.err |
		perl -ne 'print "$2 $1\n" if /^\s*([\d,]+) \([^)]*\)\s+(?:\S*:)?(\w+)/' | tr -d , |
		awk -v names="$functions" 'index(" " names " ", " " $1 " ") { print $1, $2 }' | sort >annotated
	is "$(awk '$2 > 0' annotated)" "$(below folded | awk '$2 > 0 { print $1, $2 }')" "$sampler: callgrind_annotate prints the same" || diag_file annotate.err
done
done_testing
