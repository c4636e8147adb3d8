#!/bin/sh
# Threads come and go while their process stops in every way there is, and is sampled: nobody stays stopped, no call is
# lost.
. "$(dirname "$0")/../lib/hostile.sh"

# exits HOW QUICK LONG [FILES]: so many rounds; without FILES there is one for each round, and the program's.
exits() {
	n=$(rounds "$2" "$3")
	rm -f gmon.*
	attack '-F 2000' ./prog "$1" "$n"
	unharmed "$1"
	is "$(said "$scratch/err")" '' "$who$1: nothing is said"
	is "$(find . -name 'gmon.prog.*' | wc -l)" "${4:-$((n + 1))}" "$who$1: each process has a file"
	pid=$(sed -n 's/^process \([0-9]*\).*/\1/p' "$scratch/out")
	is "$(calls prog "gmon.prog.$pid.out" work)" "$(sed -n 's/.*calls //p' "$scratch/out")" \
		"$who$1: each call of its threads is there"
	between "$own" 0 "$(rounds 10000 20000)" "$who$1: the supervisor does not use much CPU time"
}

check() {
	cp "$(target hostile-exits)" prog
	exits forks 20 60
	exits vforks 20 60
	exits signals 100 300 2
	exits stops 20 60 2
	exits exits 12 40
	exits kills 12 40
	exits leaders 10 40
	exits execs 8 30 1
	exits syscalls 200 500 1
}

each_way check
done_testing
