#!/bin/sh
# Threads come and go while their process stops in every way there is, and is sampled: nobody stays stopped, no call is
# lost.
. "$(dirname "$0")/../tap/hostile.sh"

# exits HOW ROUNDS FILES
exits() {
	rm -f gmon.*
	attack '-F 2000' ./prog "$1" "$2"
	unharmed "$1"
	is "$(said "$scratch/err")" '' "$who$1: nothing is said"
	is "$(find . -name 'gmon.prog.*' | wc -l)" "$3" "$who$1: each process has a file"
	pid=$(sed -n 's/^process \([0-9]*\).*/\1/p' "$scratch/out")
	is "$(calls prog "gmon.prog.$pid.out" work)" "$(sed -n 's/.*calls //p' "$scratch/out")" \
		"$who$1: each call of its threads is there"
	between "$own" 0 20000 "$who$1: the supervisor does not use much CPU time"
}

check() {
	cp "$(target hostile-exits)" prog
	exits forks 60 61
	exits vforks 60 61
	exits signals 300 2
	exits stops 60 2
	exits exits 40 41
	exits kills 40 41
	exits leaders 40 41
	exits execs 30 1
	exits syscalls 500 1
}

each_way check
done_testing
