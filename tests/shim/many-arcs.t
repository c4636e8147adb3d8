#!/bin/sh
# Many arcs: a text of 20 MB with 100,000 of them fits, memory is used as it is touched, and what does not fit is told.
. "$(dirname "$0")/../lib/testlib.sh"
. "$top/tests/lib/exact.sh"

n=100000

# 100,000 functions of some 200 bytes, no two of them equally far apart, and the table of them.
awk -v n=$n 'BEGIN {
	print ".text\n.globl code, code_end, table\ncode:"
	for (i = x = 1; i <= n; i++) {
		x = (x * 1103515245 + 12345) % 2147483648
		printf "f%d: call __fentry__\nret\n.skip %d, 0xcc\n", i, 146 + int(x / 65536) % 97
	}
	print "code_end:\n.section .data.rel.ro,\"aw\"\n.balign 8\ntable:"
	for (i = 1; i <= n; i++)
		printf ".quad f%d\n", i
	print ".section .note.GNU-stack,\"\",@progbits"
}' >many.S
cat >many.c <<'EOF'
/* many HOW ROUNDS: calls all the functions ROUNDS times from one place, as many threads do at once, or within limits. */
#include "rt.h"
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>

extern void (*const table[N])(void);

COUNTED void t_hot(void) { __asm__ volatile(""); }

UNCOUNTED static void
show(const char *what)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];

	while (fgets(line, sizeof(line), f))
		if (strncmp(line, "VmRSS", 5) == 0 || strncmp(line, "VmSize", 6) == 0)
			printf("%s %s", what, line);
	fclose(f);
}

COUNTED static void
hot(void)
{
	for (int i = 0; i < 1000; i++)
		t_hot();
	__asm__ volatile("");
}

static pthread_barrier_t barrier;

COUNTED static void *
thread(void *arg)
{
	pthread_barrier_wait(&barrier);
	for (long i = 0; i < N; i++)
		table[i]();
	return NULL;
}

int
main(int argc, char **argv)
{
	const struct rlimit limit = { 100UL << 20, 100UL << 20 };
	const int rounds = atoi(argv[2]);
	pthread_t t[64];
	char *p;

	if (strcmp(argv[1], "threads") == 0) {
		pthread_barrier_init(&barrier, NULL, rounds);
		for (int i = 0; i < rounds; i++)
			pthread_create(&t[i], NULL, thread, NULL);
		for (int i = 0; i < rounds; i++)
			pthread_join(t[i], NULL);
		return 0;
	}

	if (strcmp(argv[1], "limit") == 0) {
		setrlimit(RLIMIT_AS, &limit);
		p = malloc(atol(argv[3]) << 20);
		printf("malloc %d\n", p != NULL);
		if (p != NULL)
			memset(p, 1, atol(argv[3]) << 20);
	}
	show("start");
	hot();
	for (int r = 0; r < rounds; r++)
		for (long i = 0; i < N; i++)
			table[i]();
	hot();
	show("end");
	return 0;
}
EOF
gcc -c -o many.o many.S
profsup-cc -w -O2 -I"$top/tests/targets/runtime" -DN=$n -o many many.c many.o 2>cc.err || diag_file cc.err
between "$(size many | awk 'NR == 2 { print $1 }')" 20000000 22000000 'there is a text of 20 MB'

# value FILE WHEN NAME: kB
value() {
	awk -v w="$2" -v n="$3:" '$1 == w && $2 == n { print $3 }' "$1"
}
# code CODE-END T_HOT
where=$(nm many | awk '$3 == "code" || $3 == "code_end" || $3 == "t_hot" { at[$3] = $1 } END { print at["code"], at["code_end"], at["t_hot"] }')
# counted FILE: arcs into the functions, calls in all of them, calls of t_hot
counted() {
	# shellcheck disable=SC2086 # three words
	perl "$top/tests/lib/gmon.pl" arcs "$1" 2>/dev/null | perl -ne '
		BEGIN { ($code, $end, $hot) = map { hex } splice @ARGV, 0, 3 }
		my (undef, $self, $count) = split;
		$self = hex $self;
		if ($self >= $code && $self < $end) { $arcs++; $calls += $count; $seen{$count} = 1 }
		$hotcalls += $count if $self >= $hot && $self < $hot + 16;
		END { printf "%d arcs %d calls %d hot%s\n", $arcs, $calls, $hotcalls, keys %seen > 1 ? " uneven" : "" }' \
		$where
}

./many plain 0 >alone
rm -f gmon.*
profsup ./many plain 3 >out 2>err
is "$?$(said err)" 0 '100,000 arcs: it ends well and nothing is said'
is "$(counted "$(the_file many)")" "$n arcs $((3 * n)) calls 2000 hot" 'each of 100,000 arcs is counted exactly'
rm -f gmon.*
profsup --every=10ms ./many plain 3 >out 2>err
is "$?$(said err)" 0 'with snapshots that come while its calls are read at its end, too' || diag_file err
rm -f gmon.many.*.snap*
is "$(counted "$(the_file many)")" "$n arcs $((3 * n)) calls 2000 hot" 'and each is counted exactly'
rm -f gmon.*
profsup ./many threads 12 >out 2>err
is "$?$(said err)" 0 '100,000 arcs by each of 12 threads: it ends well and nothing is said'
is "$(counted "$(the_file many)")" "$n arcs $((12 * n)) calls 0 hot" 'and each is counted exactly'
rm -f gmon.*
profsup ./many plain 3 >out 2>err
text=$(($(nm many | awk '$3 == "etext" { e = $1 } $3 == "__executable_start" { s = $1 } END { print "0x" e, "- 0x" s }')))
size=$((($(value out start VmSize) - $(value alone start VmSize)) * 1024))
between $size 1000000 $(((16 << 20) + 4 * text)) 'the reservation is no more than 16 MB + 4 x the text'
total=$(perl "$top/tests/lib/gmon.pl" calls "$(the_file many)")
between $(($(value out start VmRSS) - $(value alone start VmRSS))) -1000 500 'of which next to nothing is memory before it is used'
between $((($(value out end VmRSS) - $(value out start VmRSS)) * 1024)) 1600000 $((40 << 20)) 'and what is used is memory'
rm -f gmon.*
profsup ./many plain 0 >out
between $(($(value out end VmRSS) - $(value out start VmRSS))) 0 1000 'a program that makes two arcs uses less than 1 MB'

# Constants stand before the code, where other linkers have them: the runtime reserves room for as much text.
cat >far.c <<'X'
#include "rt.h"
COUNTED void t_far(void) { __asm__ volatile(""); }
int main(void)
{
	for (int i = 0; i < 1000; i++)
		t_far();
	tell_arc("main", "t_far", 1000);
	return 0;
}
X
profsup-cc -w -O2 -I"$top/tests/targets/runtime" -Wl,-Ttext=0x2000000 -o far far.c 2>cc.err || diag_file cc.err
exact 'code that begins 28 MB behind the program' ./far

# Limits that the program gives itself.
rm -f gmon.*
profsup ./many limit 3 30 >out 2>err
is "$?$(said err)" 0 'RLIMIT_AS of 100 MB after start-up, text of 20 MB: it ends well'
is "$(grep malloc out)" 'malloc 1' 'and has 30 MB for itself'
is "$(counted "$(the_file many)")" "$n arcs $((3 * n)) calls 2000 hot" 'and each call is counted'
cat >small.c <<'EOF'
#include "rt.h"
#include <string.h>
#include <sys/resource.h>
COUNTED void t_hot(void) { __asm__ volatile(""); }
int
main(void)
{
	const struct rlimit limit = { 100UL << 20, 100UL << 20 };
	char *p;
	setrlimit(RLIMIT_AS, &limit);
	p = malloc(60 << 20);
	if (p == NULL)
		return 1;
	memset(p, 1, 60 << 20);
	for (int i = 0; i < 1000; i++)
		t_hot();
	tell_arc("main", "t_hot", 1000);
	return 0;
}
EOF
profsup-cc -w -O2 -I"$top/tests/targets/runtime" -o small small.c
exact 'RLIMIT_AS of 100 MB after start-up, text of a small program: 60 MB can be allocated' ./small

# Limits at start-up: the tables give way, and what finds no place is counted and told of.  So many kB beside the program
# itself and its histogram:
need=$(($(value alone start VmSize) + text / 2 / 1024))
for room in 1000 1800 2500; do
	rm -f gmon.*
	profsup sh -c "ulimit -S -v $((need + room)); exec ./many plain 3" >out 2>err
	is $? 0 "RLIMIT_AS that leaves $room kB at start-up: it ends well"
	file=$(the_file many)
	is "$(said err | wc -l)" 1 'one line is said' || diag_file err
	dropped=$(sed -n 's/.* \([0-9]*\) calls dropped: .*/\1/p' err)
	counted=$(perl "$top/tests/lib/gmon.pl" calls "$file")
	is "$((counted + dropped))" "$total" "calls that are counted ($counted) and dropped ($dropped) are all there were"
	# shellcheck disable=SC2046 # words
	set -- $(counted "$file")
	between "$1" 1000 $n "some arcs had a place ($1)"
	between "$dropped" 1000 "$total" 'and some had none'
	is "$5" 2000 'an arc that is known is counted on'
done
rm -f gmon.*
profsup --intervals --every=10ms sh -c "ulimit -S -v $((need + 1000)); exec ./many plain 3" >out 2>err
dropped=$(sed -n 's/.* \([0-9]*\) calls dropped: .*/\1/p' err | awk '{ n += $1 } END { print n }')
counted=$(perl "$top/tests/lib/gmon.pl" calls gmon.many.*.out | awk '{ n += $1 } END { print n }')
between "$(find . -name 'gmon.many.*' | wc -l)" 2 1000 'with --intervals there are parts'
is "$((counted + dropped))" "$total" "and what is counted in them ($counted), or told to be dropped ($dropped), is all there was"
rm -f gmon.*
for limit in "v $((need + 100))" 'd 2000'; do
	rm -f gmon.*
	profsup sh -c "ulimit -S -$limit; exec ./many plain 3" >out 2>err
	is "$?$(grep -c '^end' out)" 02 "ulimit -$limit leaves no room at start-up: the program runs as ever"
	is "$(said err | wc -l)" 1 "ulimit -$limit: one line is said" || diag_file err
	grep -q 'no memory for a profile' err
	ok $? 'which says what is missing' || diag_file err
done
done_testing
