#!/bin/sh
# Who sleeps when profsup lets it go is not woken: its wait would begin anew, with all of its time.
. "$(dirname "$0")/../lib/testlib.sh"

cat >sleeper.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

static void *
wait_in_thread(void *arg)
{
	struct epoll_event event;

	epoll_wait(epoll_create1(0), &event, 1, 100000);
	return arg;
}

int
main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, wait_in_thread, NULL);
	printf("%d\n", getpid());
	fflush(stdout);
	wait_in_thread(NULL);
	return 0;
}
END
gcc -O1 -static -o sleeper sleeper.c -pthread 2>cc.err || bail "$(cat cc.err)"

# is_traced PID, is_alone PID, is_asleep PID: both threads of it
is_traced() {
	grep -q '^TracerPid:	[1-9]' "/proc/$1/status"
}
is_alone() {
	! is_traced "$1"
}
is_asleep() {
	[ "$(cat /proc/"$1"/task/*/stat | sed 's/.*) //' | grep -c '^S')" = 2 ]
}

# How often its threads have been woken.
woken() {
	cat /proc/"$1"/task/*/status | awk '/_ctxt_switches/ { n += $2 } END { print n }'
}

./sleeper >out &
wait_until 60 test -s out || bail 'it does not begin'
read -r pid <out
wait_until 60 is_asleep "$pid" || bail 'it does not sleep'
before=$(woken "$pid")
for sampler in $(samplers); do
	for _ in 1 2 3; do
		profsup -a -q --sampler="$sampler" -p "$pid" --duration=0.1s 2>err
	done
	is "$(woken "$pid")" "$before" "$sampler: -p, three times: its threads sleep on" || diag_file err
done
kill "$pid"
rm -f out

for sampler in $(samplers); do
	profsup -a -q --sampler="$sampler" --duration=1s ./sleeper >out 2>err &
	wait_until 60 test -s out || bail 'it does not begin'
	read -r pid <out
	wait_until 60 is_asleep "$pid" || bail 'it does not sleep'
	before=$(woken "$pid") first=1
	is_traced "$pid" || first=0
	wait_until 60 is_alone "$pid" || bail 'it is not let go'
	if [ $first = 1 ]; then
		is "$(woken "$pid")" "$before" "$sampler: --duration: its threads sleep on" || diag_file err
	else
		undecided "$sampler: --duration: its threads sleep on" 'it was let go before it slept'
	fi
	kill "$pid"
	wait
	rm -f out
done
done_testing
