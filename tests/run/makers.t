#!/bin/sh
# A thread that makes many threads or processes has samples of its own, perf's, too.
. "$(dirname "$0")/../lib/testlib.sh"

cat >makes.c <<'END'
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static inline __attribute__((always_inline)) void
work(double seconds)
{
	const double until = used() + seconds;

	while (used() < until)
		for (volatile int i = 0; i < 40000; i++)
			;
}

__attribute__((noinline)) void work_of_the_maker(void) { work(0.001); }
__attribute__((noinline)) void work_of_the_made(void) { work(0.001); }

static void *
thread(void *arg)
{
	work_of_the_made();
	return arg;
}

int
main(int argc, char **argv)
{
	for (int i = 0; i < 1000; i++) {
		pthread_t t;

		work_of_the_maker();
		if (strcmp(argv[1], "threads") == 0) {
			pthread_create(&t, NULL, thread, NULL);
			pthread_join(t, NULL);
		} else if (fork() == 0) {
			work_of_the_made();
			_exit(0);
		} else {
			wait(NULL);
		}
	}
	return argc != 2;
}
END
gcc -O1 -o makes makes.c -pthread || bail 'no compiler'
for sampler in $(samplers); do
	# Of a child that no stop finds ptrace's sampler gives the time to any place of its program.
	[ "$sampler" = perf ] && all='threads forks' || all=threads
	for what in $all; do
		rm -rf files
		mkdir files
		profsup -q -g -a --sampler="$sampler" -d files --stats=stats ./makes "$what"
		profsup-export -q --format=folded ./makes files/gmon.makes.*.out >tree
		# Of the 100 ticks that the maker uses, beside what it has of the others: 40 are six sigmas less.
		between "$(awk '/work_of_the_maker/ { n += $NF } END { print n + 0 }' tree)" 40 "$(statistic ticks stats)" \
			"$sampler, $what: the maker has its time" || diag_file tree
	done
done
done_testing
