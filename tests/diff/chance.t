#!/bin/sh
# Profiles that are made by chance, of which the truth is known: where nothing has changed, nothing is shown; what has
# changed is shown first, and its cause.
# check-all: profiles made by chance, others each time
. "$(dirname "$0")/../lib/testlib.sh"

perl -MJSON::PP -e 1 2>/dev/null || skip_all 'perl has no JSON::PP'
gcc -O1 -static -o many "$testdir/many.c" || bail 'many.c does not compile'
# libc's 1,900 symbols would be most of what profsup-diff reads and prints, of each of 750 pairs.
strip -w -K 'f[0-9]*' -K main many || bail 'strip fails'
# The same pairs each time, but in tests/soak/.
seed=${PROFSUP_TEST_SEED:-$(rounds 1 "$(date +%s)")}
diag "PROFSUP_TEST_SEED=$seed"
pairs=$(rounds 80 1000)
told=$(rounds 40 100)

# chance WORD...: see chance.pl
chance() {
	"$testdir/chance.pl" "$@" >changes || bail 'chance.pl fails'
}

# nothing DESCRIPTION RUNS RUNS HOW...: of the pairs at most 5 % show anything, and what six sigma are more
nothing() {
	nothing_what=$1
	shift
	chance "$seed" "$pairs" "$@"
	between "$(grep -c . changes)" 0 "$(awk -v n="$pairs" 'BEGIN { print n * .05 + 6 * sqrt(n * .05 * .95) }')" \
		"$nothing_what: at most 5 % of $pairs pairs show a change" || diag_file changes
}
nothing 'one run each, ticks by chance' 1 1 option=--noise=0
nothing 'one run each, samples of several ticks' 1 1 weight=2 option=--noise=0
nothing 'one run each, that vary by 5 %' 1 1 weight=2 each=0.05
nothing 'three runs each, that vary by 10 %' 3 3 common=0.1 each=0.03
nothing 'two runs and three, samples of several ticks' 2 3 weight=2 common=0.05
nothing 'one run and three, samples of many ticks' 1 3 weight=3 each=0.1

# found DESCRIPTION PERCENT REGEX RUNS RUNS HOW...: at least so many of the pairs show these changes at the beginning of the line
found() {
	found_what=$1 found_least=$2 found_regex=$3
	shift 3
	chance "$seed" "$told" "$@"
	between "$(grep -cE "$found_regex" changes)" $((found_least * told / 100)) "$told" "$found_what" || diag_file changes
}
# f27 has 1.48 s, f26 1 s.
found 'twice the calls, one run each: named first, by its calls' 100 '^f27:1\.[2-8][0-9]*:-?0\.[0-5]' 1 1 calls=f27,2
found 'the same, three runs each that vary by 2 %' 95 '^f27:1\.[2-8][0-9]*:-?0\.[0-3]' 3 3 each=0.02 calls=f27,2
found 'and beside it, 1.3 times the cost of another' 90 '^f27:1\.[2-8][0-9]*:-?0\.[0-3].* f26:-?0\.000:0\.[1-5]' 5 5 each=0.02 calls=f27,2 cost=f26,1.3
found '1.3 times the cost, five runs each: named first, by its cost' 95 '^f27:-?0\.000:0\.[2-7]' 5 5 each=0.02 cost=f27,1.3
found 'half the cost' 100 '^f28:-?0\.000:-(0\.[8-9]|1\.[0-4])' 1 1 cost=f28,0.5

# Without what accounts for chance the same pairs would be full of it: the bounds above are no accident.
chance "$seed" 50 1 1 weight=30 option=--noise=0
between "$(grep -c . changes)" 25 50 'samples of 60 ticks, which nothing tells of, do show as changes with one run each'
chance "$seed" 50 3 3 weight=30
between "$(grep -c . changes)" 0 9 'but not with three, which tell of it'
done_testing
