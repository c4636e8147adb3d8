#!/bin/sh
# A program that calls libc's profil or sprofil itself, linked by profsup-cc, counts alone what it counts if it is linked
# by the compiler; under profsup no timer is set, and it counts, too.
. "$(dirname "$0")/../lib/testlib.sh"

cat >calls.c <<'EOS'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/profil.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned long sink;
__attribute__((noinline, aligned(4096))) void hot(void) { for (int i = 0; i < 1000; i++) sink++; }
__attribute__((noinline, aligned(4096))) void end(void) { sink++; }
static unsigned short shorts[2048];
static unsigned ints[1024], rest;
static unsigned long sum(int wide) { unsigned long n = 0; for (int i = 0; i < 1024; i++) n += wide ? ints[i] : shorts[i]; return n; }
static void burn(void) { clock_t until = clock() + CLOCKS_PER_SEC / 2; while (clock() < until) hot(); }
/* A supervisor may get no CPU for a while. */
static void count(int wide) { for (int i = 0; i < 100 && sum(wide) <= 10; i++) burn(); }
static void count_rest(void) { for (int i = 0; i < 200 && rest <= 5; i++) burn(); }
static const char *timer(void) { struct itimerval t; getitimer(ITIMER_PROF, &t); return t.it_interval.tv_usec ? "timer" : "no timer"; }
static void say(const char *what, unsigned long n) { fprintf(stderr, "%s: %lu ticks\n", what, n); printf("%s: %s, %s\n", what, n > 10 ? "counts" : "NOTHING", timer()); }
int main(void) {
	struct prof p[2] = { { ints, sizeof(ints), (size_t)hot, 65536 }, { &rest, sizeof(rest), 0, 2 } };
	struct timeval tick = { 0 };
	if (profil(shorts, 4096, (size_t)hot, 65536) != 0) return 1;
	count(0);
	say("profil", sum(0));
	if (profil(NULL, 0, 0, 0) != 0) return 2;
	printf("off: %s\n", timer());
	memset(shorts, 0, sizeof(shorts));
	burn();
	printf("off: %lu\n", sum(0));
	if (sprofil(p, 2, &tick, PROF_UINT) != 0) return 3;
	count(1);
	count_rest();
	say("sprofil", sum(1));
	printf("rest: %s, tick %ld us\n", rest > 5 ? "counts" : "NOTHING", (long)tick.tv_usec);
	if (sprofil(NULL, 0, NULL, 0) != 0) return 4;
	printf("off: %s\n", timer());
	return 0;
}
EOS
gcc -O1 -w -static -o plain calls.c || bail 'no compiler'
profsup-cc -O1 -w -o prog calls.c || bail 'profsup-cc'
./plain >want 2>err
is "$?" 0 'the compiler'"'"'s: it runs' || diag_file err
./prog >got 2>err
is "$? $(cat got)" "0 $(cat want)" 'ours: alone it does the same' || diag_file err
profsup -q ./prog >got 2>err
is "$? $(cat got)" "0 $(sed 's/, timer/, no timer/; s/^off: timer/off: no timer/' want)" 'under profsup, too, without a timer' || diag_file err
done_testing
