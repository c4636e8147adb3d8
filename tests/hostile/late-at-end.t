#!/bin/sh
# -p ends while a thread can't stop (it waits for its vfork child) and while a file is still being made (FUSE): when the thread
# can go on it does, and not only when the file is there.
# check-all: what a busy machine does first
. "$(dirname "$0")/../lib/hostile.sh"
need_userns
who=

cp "$(target hostile-slow-fs)" fs
make_fuse
cat >late.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Prints when it goes on. */
int
main(int argc, char **argv)
{
	struct timespec time = { 3, 0 };

	(void)argv;
	if (argc == 1 && vfork() == 0) {
		nanosleep(&time, NULL);
		_exit(0);
	}
	clock_gettime(CLOCK_MONOTONIC, &time);
	printf("%ld\n", time.tv_sec * 1000 + time.tv_nsec / 1000000);
	return 0;
}
END
gcc -O1 -o late late.c || bail 'no compiler'
cat >in-it <<'END'
../late >../out.late &
late=$!
perl -e 'my $parent = getppid; 1 while getppid == $parent' &
busy=$!
sleep 0.2
profsup -q -a --no-follow --duration=0.5 -d . -p "$late,$busy"
../late now >../out.end
kill $busy
wait $late
END
# The file system says no after so long: by then the other has long gone on.
./fs mnt "$PWD/fuse" 10000 /bin/sh ../in-it >out 2>err
! grep -q '^no' out || skip_all "needs FUSE: $(cat out)"
[ "$(($(cat out.late) + 200))" -lt "$(cat out.end)" ]
ok $? 'it has gone on long before the end' || diag_file out.late out.end
nobody_left
done_testing
