/*
 * rt-use HOW: uses moncontrol, monstartup and _mcleanup in the way that HOW names.
 */
// CFLAGS: -pthread
#include "rt.h"

#include "../clock.h"
#include <profil.h>

extern void monstartup(unsigned long low, unsigned long high);
extern void _mcleanup(void);

COUNTED_FUNCTION(t_on)
COUNTED_FUNCTION(t_off)

#define TEN(call)                                                                                  \
	do {                                                                                       \
		for (int i = 0; i < 10; i++)                                                       \
			(call);                                                                    \
	} while (0)

/* CPU time spent in two functions, for their ticks. */
UNCOUNTED IN_PLACE void
burn(long ms)
{
	compute_until(CLOCK_THREAD_CPUTIME_ID, cpu_ns() + (uint64_t)ms * 1000000);
}
COUNTED void
t_burn_in(long ms)
{
	burn(ms);
}
COUNTED void
t_burn_out(long ms)
{
	burn(ms);
}
COUNTED_FUNCTION(t_end)

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
	return arg;
}

int
main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
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
