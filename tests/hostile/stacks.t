#!/bin/sh
# -g: call stacks that are wild, endless, never the same, or in memory that changes or never answers.
. "$(dirname "$0")/../lib/hostile.sh"
# shellcheck source=tests/lib/proclib.sh
. "$top/tests/lib/proclib.sh"

check() {
	check_all wild cycle endless many changing
}

# Only root's memory never answers.
check_never() {
	check_all never
	is "$(cat "$scratch/out")" '' 'its memory does not answer'
}

check_all() {
	cp "$(target hostile-stacks)" prog
	for how; do
		rm -f gmon.* stacks.*
		attack '-g -F 1000' ./prog "$how"
		unharmed "$how"
		is "$(said_but '^$')" '' "$who$how: nothing is told of"
		is "$(perl "$top/tests/lib/stacks.pl" ticks stacks.*)" "$(statistic ticks "$scratch/stats")" \
			"$who$how: the stacks have all ticks"
		between "$(perl "$top/tests/lib/stacks.pl" folded stacks.prog.* | awk '{ n = gsub(/;/, ";"); if (n > most) most = n } END { print most + 0 }')" \
			0 127 "$who$how: none is longer than 127 frames and the mark"
		between "$rss" 1 200000 "$who$how: nobody needs more than 200 MB"
		between "$own" 0 3000 "$who$how: nor the supervisor much CPU time"
	done
}

each_way check
[ "$(id -u)" -ne 0 ] || uid=0 in_fresh_dir check_never profsup 'root: '
done_testing
