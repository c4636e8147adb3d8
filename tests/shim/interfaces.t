#!/bin/sh
# monstartup, moncontrol, _mcleanup and PROFIL_DISABLE, as moncontrol(3) has them.
. "$(dirname "$0")/../lib/testlib.sh"
# shellcheck source=tests/lib/exact.sh
. "$top/tests/lib/exact.sh"
# shellcheck source=tests/lib/proclib.sh
. "$top/tests/lib/proclib.sh"

cat >use.c <<'EOF'
#include "rt.h"
#include <profil.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

extern void monstartup(unsigned long low, unsigned long high);
extern void _mcleanup(void);

COUNTED void t_on(void) { __asm__ volatile(""); }
COUNTED void t_off(void) { __asm__ volatile(""); }
#define TEN(call) do { for (int i = 0; i < 10; i++) call; } while (0)

/* CPU time spent in two functions, for their ticks. */
static volatile unsigned long sink;
COUNTED void
t_burn_in(long ms)
{
	struct timespec from, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do {
		for (int i = 0; i < 100000; i++)
			sink++;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
}
COUNTED void
t_burn_out(long ms)
{
	struct timespec from, now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	do {
		for (int i = 0; i < 100000; i++)
			sink++;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((now.tv_sec - from.tv_sec) * 1000 + (now.tv_nsec - from.tv_nsec) / 1000000 < ms);
}
COUNTED void t_end(void) { __asm__ volatile(""); }

static pthread_barrier_t barrier;

/* Each pauses, waits for the others, and resumes when all have paused. */
COUNTED static void *
pauser(void *arg)
{
	for (int n = 0; n < 500; n++) {
		moncontrol(0);
		TEN(t_off());
		pthread_barrier_wait(&barrier);
		TEN(t_off());
		pthread_barrier_wait(&barrier);
		TEN(t_off());
		moncontrol(1);
		pthread_barrier_wait(&barrier);
		TEN(t_on());
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	const char *how = argv[1];
	pthread_t t[8];

	if (strcmp(how, "nested") == 0) {
		TEN(t_on());
		moncontrol(0);
		TEN(t_off());
		moncontrol(0);
		TEN(t_off());
		moncontrol(1);
		TEN(t_off());
		moncontrol(1);
		TEN(t_on());
		moncontrol(1); /* nothing to resume, and nothing saved up */
		TEN(t_on());
		moncontrol(0);
		TEN(t_off());
		moncontrol(7);
		TEN(t_on());
		tell_arc("main", "t_on", 40);
	} else if (strcmp(how, "other-thread") == 0) {
		pthread_barrier_init(&barrier, NULL, 8);
		for (long i = 0; i < 8; i++)
			pthread_create(&t[i], NULL, pauser, NULL);
		for (int i = 0; i < 8; i++)
			pthread_join(t[i], NULL);
		TEN(t_on());
		tell_arc("main", "t_on", 10);
		tell_arc("pauser", "t_on", 8 * 5000);
	} else if (strcmp(how, "disabled") == 0) {
		TEN(t_off());
		moncontrol(1);
		TEN(t_on());
		tell_arc("main", "t_on", 10);
	} else if (strcmp(how, "enabled") == 0) {
		TEN(t_on());
		tell_arc("main", "t_on", 10);
	} else if (strcmp(how, "off") == 0) {
		TEN(t_off());
	} else if (strcmp(how, "off-burning") == 0) {
		t_burn_in(300);
	} else if (strcmp(how, "on-at-last") == 0) {
		t_burn_in(300);
		moncontrol(1);
	} else if (strcmp(how, "pause-burning") == 0) {
		moncontrol(0);
		t_burn_in(300);
	} else if (strcmp(how, "range") == 0) {
		TEN(t_on());
		t_burn_in(100);
		monstartup((unsigned long)t_burn_in, (unsigned long)t_burn_out);
		TEN(t_on());
		t_burn_in(100);
		t_burn_out(300);
		tell_arc("main", "t_on", 20);
		tell_arc("main", "t_burn_in", 2);
		tell_arc("main", "t_burn_out", 1);
	} else if (strcmp(how, "nonsense-range") == 0) {
		monstartup(1000, 10);
		monstartup(0, 4096);
		monstartup(-4096UL, -1UL);
		monstartup(0, -1UL);
		TEN(t_on());
		t_burn_in(100);
		tell_arc("main", "t_on", 10);
		tell_arc("main", "t_burn_in", 1);
	} else if (strcmp(how, "cleanup") == 0) {
		TEN(t_on());
		_mcleanup();
		TEN(t_on());
		_mcleanup();
		TEN(t_on());
		tell_arc("main", "t_on", 30);
	}
	return 0;
}
EOF
profsup-cc -w -O2 -fno-toplevel-reorder -D_GNU_SOURCE -I"$top/tests/targets/runtime" -o use use.c

# ticks_of FILE FUNCTION
ticks_of() {
	gprof -b -p -z use "$1" 2>/dev/null | awk -v f="$2" -v hz="$(perl "$top/tests/lib/gmon.pl" rate "$1")" '$NF == f { print $3 * hz; exit }'
}

exact 'moncontrol pauses and resumes, and pauses nest' ./use nested
exact 'pauses by 8 threads at once, 500 times: on when none of them has one' ./use other-thread
export PROFIL_DISABLE
for PROFIL_DISABLE in 1 yes; do
	exact "PROFIL_DISABLE=$PROFIL_DISABLE: off until the first moncontrol(1)" ./use disabled
	rm -f gmon.*
	profsup ./use off 2>err
	is "$?$(said err)" 0 "PROFIL_DISABLE=$PROFIL_DISABLE and no moncontrol: it ends well"
	is "$(perl "$top/tests/lib/gmon.pl" calls "$(the_file use)")" 0 'and no call is counted'
done
for PROFIL_DISABLE in 0 ''; do
	exact "PROFIL_DISABLE='$PROFIL_DISABLE': on" ./use enabled
done
unset PROFIL_DISABLE
# What has been used and not been sampled is booked at the end; not so the time of a pause.  The samplers see a change
# of the mode late, by a turn of reading, which is 10 ms of 300.
for sampler in $(samplers); do
	with="profsup --sampler=$sampler -F 1000"
	rm -f gmon.*
	$with ./use pause-burning 2>err
	between "$(ticks "$(the_file use)")" 0 30 "$sampler: paused by moncontrol(0) to its end: it has not the time of the pause"
	for PROFIL_DISABLE in 1 0; do
		export PROFIL_DISABLE
		rm -f gmon.*
		$with ./use off-burning 2>err
		case $PROFIL_DISABLE in
		1) is "$(ticks "$(the_file use)")" 0 "$sampler: PROFIL_DISABLE=1: no time at all" ;;
		0) between "$(ticks "$(the_file use)")" 200 400 "$sampler: PROFIL_DISABLE=0: its time" ;;
		esac
	done
	rm -f gmon.*
	PROFIL_DISABLE=1 $with ./use on-at-last 2>err
	between "$(ticks "$(the_file use)")" 0 30 "$sampler: PROFIL_DISABLE=1 until its end: not the time before"
	unset PROFIL_DISABLE
done
exact '_mcleanup called by the program: counting goes on' ./use cleanup
exact 'monstartup for a part of the text: calls are counted in all of it' ./use range
file=$(the_file use)
between "$(ticks_of "$file" t_burn_in)" 2 38 'its time is in the histogram, that of before the call, too'
is "$(ticks_of "$file" t_burn_out)" 0 'and no other function'"'"'s'
is "$(perl "$top/tests/lib/gmon.pl" records "$file" | awk '$1 == "hist" { print $2, $3 }')" \
	"$(nm use | awk '$3 == "t_burn_in" { a = $1 } $3 == "t_burn_out" { b = $1 } END { sub(/^0*/, "", a); sub(/^0*/, "", b); print a, b }')" \
	'the histogram has that range'
exact 'monstartup for ranges that are none' ./use nonsense-range
between "$(ticks_of "$(the_file use)" t_burn_in)" 1 23 'the whole text has its time after that'
done_testing
