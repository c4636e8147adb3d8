#!/bin/sh
# -a -g: libraries that were mapped after the first samples are in the stacks of the later ones: one root for all of main().
. "$(dirname "$0")/../lib/testlib.sh"

# The loader calls it before it maps the program's libraries.
cat >audit.c <<'X'
#include <time.h>
unsigned la_version(unsigned version)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	while (t.tv_sec == 0 && t.tv_nsec < 150000000);
	return version;
}
X
# It calls nothing: no sample is in a library.
cat >prog.c <<'X'
static volatile unsigned n;
__attribute__((noipa)) static void burn(void) { for (int i = 0; i < 500000000; i++) n++; }
int main(void) { burn(); return 0; }
X
cc -O1 -fPIC -shared -o audit.so audit.c || bail 'no library'
cc -O1 -o prog prog.c || bail 'no program'
for sampler in $(samplers); do
	rm -f gmon.* stacks.*
	LD_AUDIT=./audit.so profsup -a -g -q -F 1000 --sampler="$sampler" --only prog ./prog >out 2>err
	is "$? $(cat err)" '0 ' "$sampler: it runs"
	profsup-export -q --format=folded "$(the_file prog)" >folded
	grep -q 'la_version' folded && grep -q 'main;burn ' folded
	ok $? "$sampler: there are samples before and after" || diag_file folded
	is "$(grep 'main;burn ' folded | cut -d';' -f1 | sort -u)" _start "$sampler: main has one root" || diag_file folded
done
done_testing
