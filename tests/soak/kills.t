#!/bin/sh
# 2,000 times SIGKILL to the front, to the supervisor or to both, at any moment from the start to the end of a program
# that forks, vforks, makes threads and executes itself: nobody is left, and the program ends as it would alone.
# SOAK_KILLS: how often in all; KILLS_SEED: as before.
. "$(dirname "$0")/../lib/hostile.sh"

chmod 755 .
cp "$(target lively)" prog
for sampler in $(samplers); do
	for who in front supervisor both; do
		n=$((${SOAK_KILLS:-2000} / 3 / $(samplers | wc -l)))
		perl "$testdir/../hostile/kills.pl" "$scratch" random "$n" $who 160 \
			profsup -q -F 1000 --sampler="$sampler" ./prog 120 >out 2>err
		is "$(grep wrong out)" '' "$sampler: $who killed $n times: nobody is left, and the program ends well" || diag_file out
		between "$(awk '/^killed (front|both|supervisor)/ { n += $3 } END { print n }' out)" $((n / 3)) "$n" \
			"$sampler: $who: mostly there to be killed" || diag_file err
		rm -f gmon.*
	done
done
done_testing
