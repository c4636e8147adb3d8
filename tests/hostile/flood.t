#!/bin/sh
# A process of many threads that stop all the time does not keep the supervisor from the others.
# check-all: how long others wait
. "$(dirname "$0")/../lib/hostile.sh"

check() {
	others_begin
	cp "$(target hostile-flood)" prog
	rm -f gmon.*
	attack '' ./prog 50
	unharmed ''
	is "$(find . -name 'gmon.prog.*' | wc -l)" 32 "${who}each process has a file"
	is "$(all_calls_of prog work)" 300 "${who}with its calls"
	# Without an end before each was asked by name.
	between_others "$(sed -n 's/longest //p' "$scratch/out")" 0 3000 "${who}none had to wait for long"
	is "$(said "$scratch/err")" '' "${who}nothing is said"
}

each_way check
done_testing
