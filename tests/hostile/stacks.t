#!/bin/sh
# -g: call stacks that are wild, endless, never the same, or in memory that changes.
. "$(dirname "$0")/../lib/hostile.sh"

check() {
	cp "$(target hostile-stacks)" prog
	for how in wild cycle endless many changing; do
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
done_testing
