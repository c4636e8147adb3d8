#!/bin/sh
# The profile ends (--duration) while the program runs on: it is not held up until its file is there.
# check-all: how long a file takes on a busy machine
. "$(dirname "$0")/../lib/testlib.sh"

# More calls than a file has that is made at once.
perl -e '
	print "void f$_(void) { }\n" for 1 .. 20000;
	print "static void (*const f[])(void) = { ", join(", ", map { "f$_" } 1 .. 20000), " };\n";
	print "void all(void) { for (int i = 0; i < 20000; i++) f[i](); }\n"' >many.c
cat >prog.c <<'EOF2'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

void all(void);
static volatile long last, longest;

static long
now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Each signal makes it stop for its tracer. */
static void
tick(int sig)
{
	const long now = now_ms();

	(void)sig;
	if (last != 0 && now - last > longest)
		longest = now - last;
	last = now;
}

int
main(int argc, char **argv)
{
	const struct itimerval often = { { 0, 5000 }, { 0, 5000 } };
	const long end = now_ms() + atoi(argv[argc - 1]);

	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &often, NULL);
	while (now_ms() < end)
		all();
	printf("%ld\n", longest);
	return 0;
}
EOF2
profsup-cc -O0 -o prog prog.c many.c || bail 'no program'
profsup -q --duration=1 ./prog 3000 >out 2>err
is "$(arcs=$(perl "$top/tests/lib/gmon.pl" arcs "$(the_file prog)" | wc -l); echo $((arcs > 16384)))" 1 'its file has more calls than are written at once' || diag_file err
between "$(cat out)" 0 900 'no signal had to wait for it'
done_testing
