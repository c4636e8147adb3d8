#!/bin/bash
# server.sh [ROUNDS]: what profsup takes of the throughput of a server whose 80 threads wait for requests on their sockets and
# compute for each, for some 14 or 160 us: without profsup, with -a -g, and with -a -g --wall, as a plain user (uid 65534) and as
# root, by both samplers.  For each it prints the median of the requests a second, and as a multiple of that without profsup, and
# without --wall, the median and the middle half of the rounds: in each round all run in turn.  As root, on a machine that
# does nothing else.
set -u
rounds=${1:-10}
. "$(dirname "$0")/by-hand.sh"
chmod 1777 .
gcc -O2 -pthread -o server "$top/tests/bench/server.c" || exit 1
cp "$stage/bin/profsup" . || exit 1

declare -A user=([plain]='setpriv --reuid 65534 --regid 65534 --clear-groups' [root]=env)

# words WAY: those that start the server "none", without profsup, or by a sampler, with "-wall" behind it by --wall.
words() {
	case $1 in
	none) ;;
	*-wall) echo "$(words "${1%-wall}") --wall" ;;
	*) echo "./profsup -q -a -g --sampler=$1" ;;
	esac
}

# ratios OF TO: of the columns of ./rates.
ratios() {
	awk -v of="$1" -v to="$2" '{ print $of / $to }' rates | sort -n |
		awk '{ r[NR] = $1 } END { printf "%.3f (%.3f to %.3f)", (r[int((NR + 1) / 2)] + r[int(NR / 2) + 1]) / 2, r[int((NR + 3) / 4)], r[int((3 * NR + 3) / 4)] }'
}

for turns in 15000 135000; do
	for who in plain root; do
		ways='none ptrace ptrace-wall'
		[[ $who == root ]] && ways+=' perf perf-wall'
		: >rates
		for ((i = 0; i < rounds; i++)); do
			for way in $ways; do
				# shellcheck disable=SC2046,SC2086 # words
				rate=$(${user[$who]} $(words "$way") ./server 80 "$turns" 2)
				rm -f gmon.* stacks.*
				printf '%s ' "$rate" >>rates
			done
			echo >>rates
		done
		column=0
		for way in $ways; do
			column=$((column + 1))
			echo "$turns turns, $who, $way: $(cut -d' ' -f$column rates | sort -n | sed -n $(((rounds + 1) / 2))p) a second, $(ratios $column 1) of none$(
				[[ $way != *-wall ]] || echo ", $(ratios $column $((column - 1))) without --wall")"
		done
	done
done
