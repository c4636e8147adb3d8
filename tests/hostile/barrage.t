#!/bin/sh
# Every signal there is, all the time, to the supervisor: what it does meanwhile is as it was.  (signals.t: each by
# itself, and SIGKILL.)
# check-all: CPU time, as measured
. "$(dirname "$0")/../lib/hostile.sh"

check() {
	others_begin
	cp "$(target hostile-barrage)" prog
	attack '-F 1000' ./prog 300
	unharmed ''
	# shellcheck disable=SC2046 # words
	set -- $(cat "$scratch/out")
	if [ "${run%% *}" = profsup ] && [ "$(id -u)" -eq 0 ]; then
		is "$4" 0 "${who}none of them comes to root's supervisor"
	else
		between "$4" 1 1000000000 "${who}they do come"
	fi
	is "$(find . -name 'gmon.prog.*' | wc -l)" 25 "${who}each process has a file"
	is "$(said "$scratch/err")" '' "${who}nothing is said"
	# A tick is a millisecond.  What is lacking is told, with what the senders lack.
	ticks=$(perl "$top/tests/lib/gmon.pl" ticks "gmon.prog.$2.out")
	lacking=$(($6 > ticks ? $6 - ticks : 0))
	not_seen=$(not_seen "$scratch/err")
	between_others "$((ticks + (not_seen < lacking ? not_seen : lacking)))" $(($6 * 3 / 4)) $(($6 * 5 / 4 + 10)) \
		"${who}its CPU time is in the profile"
	between "$own" 0 5000 "${who}and the supervisor has not used much itself"
}

each_way check
done_testing
