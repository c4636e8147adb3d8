#!/bin/sh
# A process that is killed for want of memory loses that before its end: calls that can't be read any more are told, and
# nothing else is said of them.  While the kernel looks for memory on our behalf, at our priority, others have their CPUs.
# check-all: a limit of memory, which the kernel counts in its own time
. "$(dirname "$0")/../lib/testlib.sh"
need_root

# limit MB: the group's memory.
limit() {
	{ echo $(($1 << 20)) >"$group/memory.limit_in_bytes" || echo $(($1 << 20)) >"$group/memory.max"; } 2>/dev/null
}

for group in /sys/fs/cgroup/memory/profsup-test.$$ /sys/fs/cgroup/profsup-test.$$; do
	mkdir "$group" 2>/dev/null && limit 80 && break
	rmdir "$group" 2>/dev/null
	group=
done
[ -n "$group" ] || skip_all 'no control group for memory can be made here'
trap 'rmdir "$group"; cd /; rm -rf "$scratch"' EXIT

cat >eater.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile unsigned *calls;

__attribute__((noinline)) void
work(void)
{
	++*calls;
}

static void *
nap(void *arg)
{
	for (;; usleep(1000))
		work();
	return arg;
}

int
main(void)
{
	const int fd = open("calls", O_RDWR | O_CREAT | O_TRUNC, 0600);
	pthread_t thread;

	if (ftruncate(fd, 4096) != 0)
		return 1;
	calls = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (int i = 0; i < 20000000; i++) /* the first reading finds no calls */
		__asm__("");
	for (int i = 0; i < 1000; i++)
		work();
	pthread_create(&thread, NULL, nap, NULL);
	for (;; usleep(300))
		memset(malloc(1 << 20), 1, 1 << 20);
}
END
profsup-cc -O1 -pthread -o eater eater.c || bail 'profsup-cc'

# eaten SAMPLER: it is killed; its calls are all there but those of a moment, or what is lost is told.
eaten() {
	rm -f gmon.*
	# shellcheck disable=SC2016 # an inner shell expands its own
	sh -c 'echo 0 >"$1/cgroup.procs" && exec profsup --sampler="$2" -F 1000 ./eater' - "$group" "$1" 2>err
	status="$status $?"
	counted=$(calls eater "$(the_file eater)" work)
	lost=$(($(perl -e 'open my $f, "<", "calls"; read $f, my $n, 4; print unpack "I", $n') - ${counted:-0}))
	[ "$lost" -le 1 ] || grep -q "calls can't be read: .*: only earlier calls are included" err || untold="$untold $lost"
	grep -q 'no calls were counted' err && untold="$untold objects"
}

for sampler in ptrace perf; do
	status='' untold=''
	for _ in 1 2 3 4 5 6; do
		eaten $sampler
	done
	is "$status" ' 137 137 137 137 137 137' "$sampler: each is killed" || diag_file err
	is "$untold" '' "$sampler: calls that are lost are told as that"
done

# Whoever shares a full group looks for memory in it until the kernel takes its victim's, 2 s later.
cat >bystander.c <<'END'
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* On each CPU: the longest wait for it, in ms. */
int
main(void)
{
	for (int i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
		if (fork() == 0) {
			const double end = now() + 3;
			double most = 0;
			cpu_set_t one;

			CPU_ZERO(&one);
			CPU_SET(i, &one);
			if (sched_setaffinity(0, sizeof(one), &one) < 0 || nice(-19) != -19)
				_exit(1);
			while (now() < end) {
				const double began = now();

				usleep(1000);
				most = now() - began > most ? now() - began : most;
			}
			printf("%.0f\n", 1000 * most);
			fflush(stdout);
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	return 0;
}
END
gcc -O1 -o bystander bystander.c || bail 'no compiler'
cat >glutton.c <<'END'
#include <stdlib.h>
#include <string.h>

int
main(void)
{
	for (;;)
		memset(malloc(1 << 20), 1, 1 << 20);
}
END
gcc -O1 -o glutton glutton.c || bail 'no compiler'
limit 24

# longest COMMAND...: how long a bystander waits for its CPU while that is killed, ms, of three times.
longest() {
	for _ in 1 2 3; do
		./bystander >waits &
		# shellcheck disable=SC2016 # an inner shell expands its own
		sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "$group" "$@" >out 2>&1
		wait $!
		cat waits
	done | sort -n | tail -n 1
}
alone=$(longest ./glutton)
if [ "$alone" -gt 100 ]; then
	undecided 'others wait no longer for their CPUs' "$alone ms alone"
else
	between "$(longest profsup -q -a -g -F 1000 ./glutton)" 0 400 "others wait no longer for their CPUs, but for a moment ($alone ms alone)"
fi
done_testing
