#!/bin/sh
# exits.t by the clock: a supervisor that waits for news that can't come any more does so for seconds.
# check-all: times, as measured
. "$(dirname "$0")/../lib/hostile.sh"
others_begin

check() {
	cp "$(target hostile-exits)" prog
	while read -r how quick long; do
		n=$(rounds "$quick" "$long")
		rm -f gmon.*
		began=$(date +%s)
		attack '-F 2000' ./prog "$how" "$n"
		between_others $(($(date +%s) - began)) 0 $((n / 8 + 4)) "$who$how: nobody is held"
	done <<-'END'
		forks 20 60
		vforks 20 60
		signals 100 300
		stops 20 60
		exits 12 40
		kills 12 40
		leaders 10 40
		execs 8 30
		syscalls 200 500
	END
}

each_way check
done_testing
