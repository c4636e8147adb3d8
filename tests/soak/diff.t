#!/bin/sh
# Of 20 pairs of equal builds, at least 19 show nothing; a planted change is shown in nearly all.  Real runs.
. "$(dirname "$0")/../lib/testlib.sh"

build() {
	build_name=$1
	shift
	profsup-cc -O1 -g "$@" -o "$build_name" "$top/tests/diff/planted.c" >cc.out 2>&1 || bail "$(cat cc.out)"
}
build old
build again -Wl,-Ttext-segment=0x800000
build calls -DCALLS=800
build cost -DCOST=130
for program in old again calls cost; do
	mkdir "$program.runs"
done
for run in $(seq 1 60); do
	for program in old again calls cost; do
		profsup -q -g -F 1000 -d "$program.runs" -o "$run" "./$program" || bail "$program fails"
	done
done

# runs PROGRAM FROM COUNT: the words for a side
runs() {
	echo "./$1"
	for runs_i in $(seq "$2" $(($2 + $3 - 1))); do
		echo "$1.runs/$runs_i"
	done
}

# changed BEFORE AFTER COUNT REGEX: in how many of 20 pairs of COUNT runs each the first table begins so
changed() {
	changed_n=0
	for changed_pair in $(seq 0 19); do
		# shellcheck disable=SC2046 # words
		profsup-diff $(runs "$1" $((1 + changed_pair * $3)) "$3") -- $(runs "$2" $((1 + changed_pair * $3)) "$3") >out
		awk '$NF == "function" { getline; print $NF; exit }' out | grep -q "$4" && changed_n=$((changed_n + 1))
	done
	echo $changed_n
}
for runs in 1 3; do
	between "$(changed old again "$runs" .)" 0 1 "equal builds, $runs runs each: 20 pairs"
	between "$(changed old calls "$runs" '^often$')" 19 20 "twice the calls, $runs runs each: named first in 20 pairs"
done
between "$(changed old cost 3 '^dear$')" 10 20 '1.3 times the cost, three runs each: named first in most of 20 pairs'
done_testing
