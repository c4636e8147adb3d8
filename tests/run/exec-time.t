#!/bin/sh
# CPU time that an exec drops is told: what a sample has found, and what a program has used since.
. "$(dirname "$0")/../lib/testlib.sh"

cat >chain.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double
used(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* chain N: works for 7 ms, and becomes the next one. */
int
main(int argc, char **argv)
{
	const double until = used() + 0.007;
	char left[16];

	while (used() < until)
		for (volatile int i = 0; i < 40000; i++)
			;
	snprintf(left, sizeof(left), "%d", atoi(argv[argc - 1]) - 1);
	if (atoi(left) > 0)
		execl(argv[0], argv[0], left, (char *)NULL);
	printf("%.0f\n", used() * 100);
	return 0;
}
END
profsup-cc -O1 -o chain chain.c 2>cc.err || bail "$(cat cc.err)"
for sampler in $(samplers); do
	profsup -q --sampler="$sampler" --stats=stats -F 100 ./chain 300 >out 2>err
	read -r used <out
	# Each of 300 is off by less than a tick, in either direction alike: 1 in 10^7 are 5.3 standard deviations.
	between "$(statistic ticks stats)" $((used - 50)) $((used + 50)) "$sampler: ticks are the CPU time" || diag_file err
	between "$(statistic dropped_ticks stats)" $((used - 55)) $((used + 50)) "$sampler: all but the last image's is told as dropped" || diag_file err
	rm -f gmon.*
done
done_testing
