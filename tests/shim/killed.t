#!/bin/sh
# A program killed with SIGKILL at any moment leaves a whole file with each call that it came to the end of.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

cp "$(target rt-killed)" prog
perl -e 'printf "%s", "\0" x 4096' >shared

# kill_one AFTER THREADS: runs it, kills it when it has made so many calls; counts in `kept` if the file is right.
good=0
bad=0
kill_one() {
	rm -f gmon.*
	: >shared
	truncate -s 4096 shared
	profsup ./prog shared "$1" "$2" >out 2>err
	status=$?
	arcs_of prog "$(the_file prog)" >got 2>&1
	perl -e 'open F, "<", "shared"; read F, $d, 4096; my @n = unpack "q512", $d;
		for my $t (0 .. $ARGV[0] - 1) { print "t_calls$t ", $n[8 * $t], "\n" }' "$2" >want
	# One more may have been counted in each thread that had not told of it yet.
	if [ $status -eq 137 ] && awk 'NR == FNR { want[$1] = $2; next }
		$2 in want { seen++; if ($3 < want[$2] || $3 > want[$2] + 1) bad = 1 }
		END { for (w in want) n += want[w] > 0; exit bad || seen < n }' want got; then
		good=$((good + 1))
	else
		bad=$((bad + 1))
		diag "after $1, $2 threads: status $status"
		diag_file want
		diag_file got
		diag_file err
	fi
}

times=$(rounds 20 40)
i=0
while [ $i -lt "$times" ]; do
	at=$((i * 40 / times))
	kill_one $((at * 37)) 1
	kill_one $((at * at * 211)) 4
	i=$((i + 1))
done
is "$bad" 0 "kill -9 at $((2 * times)) moments: the calls made until then are in the file, for each of 1 or 4 threads"
is "$good" $((2 * times)) 'each time there is a file'

# By another process, at a time of its own.
good=0
times=$(rounds 10 20)
i=0
while [ $i -lt "$times" ]; do
	kill_one "-$((i * 14000 / times + 1))" 4
	i=$((i + 1))
done
is "$good" "$times" "kill -9 by another process, at $times times between 0 and 13 ms"
done_testing
