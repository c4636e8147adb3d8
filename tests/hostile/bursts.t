#!/bin/sh
# A process of many threads that come at once, and go at once in each way there is: every call of every thread is counted.
. "$(dirname "$0")/../lib/hostile.sh"

# burst HOW STATUS CALLS: so many calls for each thread.
burst() {
	rm -f gmon.*
	attack '' ./prog "$1" "$threads"
	unharmed "$1" "$2"
	is "$(cat "$scratch/out")" "made $threads" "$who$1: there are as many threads as it wants"
	is "$(all_calls_of prog work)" "$3" "$who$1: each of their calls is in the file"
	is "$(said_but '^Killed$')" '' "$who$1: nothing is said"
	between "$rss" 1 100000 "$who$1: nobody needs more than 100 MB"
}

check() {
	threads=$(rounds 1200 6000)
	cp "$(target hostile-burst)" prog
	burst joins 'exit 0' $((2 * threads))
	burst runs 'exit 0' $((10 * threads))
	burst exits 'exit 0' "$threads"
	burst killed 'exit 137' "$threads"
	burst execs 'exit 0' 99
}

each_way check
done_testing
